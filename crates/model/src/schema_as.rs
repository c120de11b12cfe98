//! JSON Schemas of types that are written as another type.

/// Gives types the JSON Schema of the type that they are written as.
#[macro_export]
macro_rules! schema_as {
    ($($type:ty: $written:ty),+ $(,)?) => {$(
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$written as schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                generator.subschema_for::<$written>()
            }
        }
    )+};
}
