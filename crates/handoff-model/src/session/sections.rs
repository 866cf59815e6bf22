pub const TEMPLATE: &str = "";
