//! Structures as specifications describe them: each field with its type, and where its bytes stand.

/// Declares structures, and for each a `read` that takes the parameters named behind the
/// structure's name.
///
/// Behind each field stands how it is read. Fields are read in their order, and those above can be
/// used; `?` gives up where bytes are missing.
macro_rules! layout {
    ($(
        $(#[$doc:meta])*
        pub struct $name:ident($($parameter:ident: $given:ty),*) {
            $($(#[$field_doc:meta])* pub $field:ident: $kind:ty = $value:expr,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $kind,)*
        }

        impl $name {
            pub(super) fn read($($parameter: $given),*) -> Option<Self> {
                $(let $field: $kind = $value;)*
                Some(Self { $($field,)* })
            }
        }
    )*};
}
pub(crate) use layout;
