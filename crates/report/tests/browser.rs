//! The page in a real browser. Skipped, with a message, where there is no chromium
//! (`apt-get install chromium`).

mod chromium;
mod fixture;

use chromium::{Browser, program};
use fixture::{SIXTEEN, campaign, findings, hostile};
use report::html::{Configuration, render};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use text::Language;

/// A directory of the build for this test's files.
fn place(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory of the build");
    dir
}

fn start(dir: &Path) -> Option<Browser> {
    let Some(program) = program() else {
        eprintln!("skipped: no chromium here (apt-get install chromium)");
        return None;
    };
    Some(Browser::start(&program, dir))
}

fn sixteen(dir: &Path) -> PathBuf {
    let campaign = campaign::campaign();
    let configuration = Configuration {
        campaign: &campaign,
        lab_text: "title = \"File server, forced synchronous writes: is a SLOG worth it?\"\n",
    };
    let file = dir.join("report.html");
    let page = render(&findings(&SIXTEEN), Some(configuration), Language::English);
    std::fs::write(&file, page).expect("the build's directory is writable");
    file
}

#[test]
fn charts_language_sort_theme_and_downloads_work_in_a_browser() {
    let dir = place("browser");
    let Some(mut browser) = start(&dir) else {
        return;
    };
    let file = sixteen(&dir);
    browser.width(1280);
    browser.open(&file);
    charts_hold_the_data(&mut browser);
    the_language_is_switched(&mut browser);
    the_table_is_sorted(&mut browser);
    the_theme_is_switched(&mut browser);
    the_numbers_are_downloaded(&mut browser, &dir);
    pictures(&mut browser);
    nothing_overflows(&mut browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let own = |url: &String| url.starts_with("file://") && url.ends_with("report.html");
    let others = |url: &String| !own(url) && !url.starts_with("data:") && !url.starts_with("blob:");
    let asked: Vec<String> = browser.requests().into_iter().filter(others).collect();
    assert_eq!(asked, Vec::<String>::new(), "the page asked for something");
}

fn charts_hold_the_data(browser: &mut Browser) {
    let count = |browser: &mut Browser, selector: &str| {
        browser.eval(&format!("document.querySelectorAll({selector:?}).length"))
    };
    assert_eq!(count(browser, "#time .plot"), json!(16));
    assert_eq!(count(browser, "#time .plot .curve:not(.other)"), json!(16));
    // Four workloads, three of which sync; a ladder of two variants on one of them.
    assert_eq!(count(browser, "#latency .plot"), json!(4 + 3));
    assert_eq!(count(browser, "#latency .plot .curve"), json!(16 + 12));
    assert_eq!(count(browser, "#load .plot"), json!(2));
    assert_eq!(count(browser, "#load .plot .curve"), json!(4));
    assert_eq!(count(browser, "#causes svg.bar"), json!(5));
    assert_eq!(count(browser, "#limits tbody tr"), json!(16));
    assert_eq!(count(browser, "#reads svg.bar"), json!(8));
    assert_eq!(count(browser, "#drives svg.heat"), json!(16));
    let findings = findings(&SIXTEEN);
    assert_eq!(count(browser, "#effects svg.forest:not(.scale)"), json!(findings.effects.len()));
    // The bar of a cell is as long as its share, on the screen.
    let arc = findings.cells[8].hits.reads.expect("cell 8 reads").arc;
    let drawn = browser.eval(
        "(() => { const bar = document.querySelector('#reads svg.bar');
           return bar.querySelector('.r-arc').getBoundingClientRect().width / bar.getBoundingClientRect().width; })()",
    );
    assert!((drawn.as_f64().expect("a width") - arc).abs() < 0.01, "{drawn} for {arc}");
    // Without writes to the log the baseline does 3.1 times as much: the longest bar is the scale's end.
    let longest = browser.eval(
        "(() => { const bar = document.querySelector('#causes svg.bar');
           const sum = [...bar.querySelectorAll('rect')].reduce((s, r) => s + r.getBoundingClientRect().width, 0);
           return sum / bar.getBoundingClientRect().width; })()",
    );
    assert!((longest.as_f64().expect("a width") - 1.0).abs() < 0.01, "{longest}");
    // The first course ends where its last second says, in the panel's own scale.
    let ends = browser.eval(
        "(() => { const d = document.querySelector('#time .curve:not(.other)').getAttribute('d');
           return d.split('L').pop().split(' ').map(Number); })()",
    );
    let series = &findings.cells[0].series[0];
    let rate = series.reads.last().unwrap_or(&0.0) + series.writes.last().unwrap_or(&0.0);
    let top = 15_000.0;
    let expected = 1000.0 - rate / top * 1000.0;
    assert_eq!(ends[0], json!(1000));
    assert!((ends[1].as_f64().expect("a height") - expected).abs() <= 1.0, "{ends} for {expected}");
}

fn the_language_is_switched(browser: &mut Browser) {
    let heading = "document.querySelector('#answer h2').innerText";
    assert_eq!(browser.eval(heading), json!("The answer"));
    browser.eval("document.querySelector('[data-language=zh-CN]').click()");
    assert_eq!(browser.eval(heading), json!("结论"));
    assert_eq!(browser.eval("document.documentElement.lang"), json!("zh-CN"));
    assert_eq!(
        browser
            .eval("document.querySelector('[data-language=zh-CN]').getAttribute('aria-pressed')"),
        json!("true")
    );
    browser.eval("document.querySelector('[data-language=en]').click()");
    assert_eq!(browser.eval(heading), json!("The answer"));
}

fn the_table_is_sorted(browser: &mut Browser) {
    let column = "Array.from(document.querySelectorAll('#cells tbody tr')).map(r => Number(r.cells[3].dataset.key))";
    let press = "document.querySelectorAll('#cells thead button')[3].click()";
    browser.eval(press);
    let values: Vec<f64> = serde_json::from_value(browser.eval(column)).expect("numbers");
    assert_eq!(values.len(), 16);
    assert!(values.windows(2).all(|w| w[0] >= w[1]), "largest first: {values:?}");
    browser.eval(press);
    let values: Vec<f64> = serde_json::from_value(browser.eval(column)).expect("numbers");
    assert!(values.windows(2).all(|w| w[0] <= w[1]), "smallest first: {values:?}");
    assert_eq!(
        browser.eval("document.querySelectorAll('#cells thead th')[3].getAttribute('aria-sort')"),
        json!("ascending")
    );
}

fn the_theme_is_switched(browser: &mut Browser) {
    let background = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(background);
    browser.eval("document.querySelector('[data-set-theme=dark]').click()");
    assert_ne!(browser.eval(background), light);
    browser.eval("document.querySelector('[data-set-theme=auto]').click()");
    assert_eq!(browser.eval(background), light);
}

fn the_numbers_are_downloaded(browser: &mut Browser, dir: &Path) {
    browser.eval("document.querySelector('[data-download]').click()");
    browser.eval("document.querySelector('a[download]').click()");
    let wait = |name: &str| {
        let file = dir.join(name);
        let start = Instant::now();
        loop {
            match std::fs::read_to_string(&file) {
                Ok(text) if !text.is_empty() => return text,
                _ if start.elapsed() > Duration::from_secs(20) => panic!("{name} never came"),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    };
    let saved = report::json::read(&wait("findings.json")).expect("the download is findings");
    let made = findings(&SIXTEEN);
    assert_eq!(saved.verdicts, made.verdicts);
    assert_eq!(saved.effects, made.effects);
    assert_eq!(wait("cells.csv"), report::csv::render(&made).expect("CSV"));
}

fn nothing_overflows(browser: &mut Browser) {
    for width in [360, 768, 1280, 1920] {
        browser.width(width);
        assert_eq!(overflowing(browser), json!([]), "wider than a screen of {width}");
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert_eq!(wide, json!(width), "the page is wider than a screen of {width}");
    }
}

/// Elements that reach beyond the screen and are not within something that scrolls by itself.
fn overflowing(browser: &mut Browser) -> serde_json::Value {
    browser.eval(
        "Array.from(document.querySelectorAll('main *, header *, footer *'))
           .filter(e => !e.closest('.scroll, pre, .sr, svg') && e.getBoundingClientRect().right > innerWidth + 1)
           .slice(0, 5).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 60))",
    )
}

/// Pictures of the page into `$REPORT_PICTURES`, for people (and for the README).
fn pictures(browser: &mut Browser) {
    use base64::Engine;
    let Some(dir) = std::env::var_os("REPORT_PICTURES").map(PathBuf::from) else {
        return;
    };
    let shots = [
        ("1920", 1920, "light", "en"),
        ("1280", 1280, "light", "en"),
        ("360", 360, "light", "en"),
        ("1280-dark", 1280, "dark", "en"),
        ("1280-zh", 1280, "light", "zh-CN"),
    ];
    for (name, width, theme, language) in shots {
        browser.width(width);
        browser.eval(&format!(
            "document.querySelector('[data-set-theme={theme}]').click(); document.querySelector('[data-language={language}]').click()"
        ));
        let height = browser.eval("document.documentElement.scrollHeight");
        let shot = browser.call(
            "Page.captureScreenshot",
            json!({"captureBeyondViewport": true, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}),
        );
        let png = base64::engine::general_purpose::STANDARD
            .decode(shot["data"].as_str().expect("a picture"))
            .expect("base64");
        std::fs::write(dir.join(format!("{name}.png")), png).expect("the directory is writable");
    }
    browser.eval("document.querySelector('[data-set-theme=auto]').click(); document.querySelector('[data-language=en]').click()");
}

#[test]
fn hostile_names_stay_names_in_a_browser() {
    let dir = place("hostile");
    let Some(mut browser) = start(&dir) else {
        return;
    };
    let evil = "\"><img src=x onerror=document.title='owned'></script><script>document.title='owned'</script>]]>\u{202e}";
    let file = dir.join("report.html");
    std::fs::write(&file, render(&hostile(evil), None, Language::English)).expect("writable");
    browser.width(360);
    browser.open(&file);
    let title = browser.eval("document.title");
    assert!(title.as_str().is_some_and(|t| t.starts_with("\"><img")), "{title}");
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), json!(0));
    assert_eq!(overflowing(&mut browser), json!([]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
