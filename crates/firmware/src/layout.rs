//! Declares structures the way specifications do: each field with its type and offset.

/// Declares structures, each with a `read` function that takes the given parameters.
///
/// The expression after each field reads it. It may use the fields above; `?` returns `None` where
/// bytes are missing.
macro_rules! layout {
    ($(
        $(#[$doc:meta])*
        pub struct $name:ident($($parameter:ident: $given:ty),*) {
            $($(#[$field_doc:meta])* pub $field:ident: $kind:ty = $value:expr,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
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
