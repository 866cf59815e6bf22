//! `handoff calendar`: the working hours of coming weeks. The clock of these tests stands on Sunday, 2026-11-15.

use handoff_testkit::project;
use serde_json::json;

#[test]
fn the_coming_weeks_are_shown() {
    let project = project!();
    project
        .call("calendar update --hours 7 --off 2026-11-18,2026-11-25..2026-11-27 --day-hours fri=4")
        .run()
        .succeeded();
    project.call("team add alice --hours 6 --off 2026-11-19 --closed-weekday fri,sat,sun").run().succeeded();
    insta::assert_snapshot!(project.handoff("calendar --from 2026-11-16 --weeks 2"), @r"
    Calendar
    hours:        7 a day, 32 a week
    closed:       sat, sun
    closed dates: 2026-11-18, 2026-11-25..2026-11-27
    other hours:  fri 4 h
    week begins:  mon

    week of     mon  tue  wed  thu  fri  sat  sun  hours
    2026-11-16    7    7    –    7    4    –    –     25
    2026-11-23    7    7    –    –    –    –    –     14

    hours in the week of  2026-11-16  2026-11-23
    alice                         12          12
    ");
    insta::assert_snapshot!(project.handoff("calendar alice --weeks 2"), @r"
    Calendar of alice
    week of     mon  tue  wed  thu  fri  sat  sun  hours
    2026-11-09    6    6    6    6    –    –    –     24
    2026-11-16    6    6    –    –    –    –    –     12
    ");
    let view = project.json("calendar --weeks 3");
    assert_eq!(view["weeks"][0]["start"], "2026-11-09", "the week of today, which is a sunday");
    assert_eq!(view["weeks"][1]["hours"], 25.0, "{view}");
    assert_eq!(view["people"]["alice"], json!([24.0, 12.0, 12.0]), "{view}");
    project.call("calendar update --week-start sun").run().succeeded();
    assert_eq!(project.json("calendar")["weeks"][0]["start"], "2026-11-15");
}

#[test]
fn the_weeks_are_rows_for_a_spreadsheet() {
    let project = project!();
    insta::assert_snapshot!(project.handoff("calendar --from 2026-11-20 --weeks 1 --csv"), @r"
    date,weekday,hours
    2026-11-16,mon,8
    2026-11-17,tue,8
    2026-11-18,wed,8
    2026-11-19,thu,8
    2026-11-20,fri,8
    2026-11-21,sat,0
    2026-11-22,sun,0
    ");
}

#[test]
fn nobody_and_too_many_weeks_are_refused() {
    let project = project!().task("dddddddd", |task| task.field("assignee = \"bob\""));
    project.call("team add alice").run().succeeded();
    project.call("calendar alcie").run().failed(3).says("close: alice");
    project.call("calendar bob").run().succeeded().says("`bob` is only in tasks");
    for weeks in ["0", "54", "-1", "many"] {
        project.call(&format!("calendar --weeks={weeks}")).run().failed(2).says("1 to 53");
    }
}

#[test]
fn every_day_can_be_open_and_the_usual_ones_come_back() {
    let project = project!();
    project.call("calendar update --closed-weekday=").run().succeeded();
    assert_eq!(project.json("calendar")["calendar"]["hours_per_week"], 56.0);
    project.call("calendar update --closed-weekday none").run().succeeded();
    assert_eq!(project.json("calendar")["calendar"]["hours_per_week"], 40.0, "saturday and sunday are closed again");
    project.call("calendar update --time-zone Europe/Berlin").run().succeeded();
    project.call("calendar update --time-zone Mars/Olympus").run().failed(2).says("there is no time zone");
    project.call("calendar update --day-hours none --hours none --time-zone none").run().succeeded();
    project.call("calendar update").run().succeeded().says("nothing to change");
}
