//! What the command line prints, as its users see it.

#[test]
fn the_command_line_prints_what_the_cases_show() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
