//! A small DevTools client over chromium's pipe: one page, its console and its requests.

use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write, pipe};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running browser with one tab.
pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    next: u64,
    /// Events that arrived so far, as (method, params).
    pub events: Vec<(String, Value)>,
    _profile: tempfile::TempDir,
}

/// The browser's program, if this machine has one.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| [dir.join("chromium"), dir.join("chromium-browser")])
        .find(|file| file.is_file())
}

impl Browser {
    /// Starts it with a profile of its own, and opens an empty tab.
    pub fn start(program: &Path, downloads: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a directory for the profile");
        let (read_commands, write_commands) = pipe().expect("a pipe");
        let (read_answers, write_answers) = pipe().expect("a pipe");
        let mut command = Command::new(program);
        command
            .args([
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // The browser reads commands from descriptor 3 and writes to 4.
        command
            .fd_mappings(vec![
                FdMapping { parent_fd: OwnedFd::from(read_commands), child_fd: 3 },
                FdMapping { parent_fd: OwnedFd::from(write_answers), child_fd: 4 },
            ])
            .expect("descriptors 3 and 4");
        let child = command.spawn().expect("chromium starts");
        drop(command);
        let mut browser = Browser {
            child,
            to: File::from(OwnedFd::from(write_commands)),
            from: BufReader::new(File::from(OwnedFd::from(read_answers))),
            session: None,
            next: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.call(
            "Browser.setDownloadBehavior",
            json!({"behavior": "allow", "downloadPath": downloads, "eventsEnabled": true}),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and returns its result; events that come first are kept.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("chromium listens");
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).expect("chromium answers");
        assert!(bytes.pop().is_some(), "chromium has gone away");
        let message: Value = serde_json::from_slice(&bytes).expect("an answer is JSON");
        if let Some(method) = message["method"].as_str() {
            self.events.push((method.to_owned(), message["params"].clone()));
        }
        message
    }

    /// Reads until an event of this name has come since `since`.
    pub fn wait_for(&mut self, method: &str, since: usize) {
        while !self.events[since..].iter().any(|(m, _)| m == method) {
            self.receive();
        }
    }

    /// Opens a file.
    pub fn open(&mut self, file: &Path) {
        let since = self.events.len();
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        self.wait_for("Page.loadEventFired", since);
    }

    /// The value of an expression of the page's script.
    pub fn eval(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}),
        );
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {}",
            result["exceptionDetails"]
        );
        result["result"]["value"].clone()
    }

    /// Makes the viewport this wide.
    pub fn width(&mut self, width: u32) {
        let mobile = width < 600;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile}),
        );
    }

    /// What the page complained of: errors on its console, exceptions, refused content.
    pub fn complaints(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|(method, params)| match method.as_str() {
                "Runtime.exceptionThrown" => true,
                "Runtime.consoleAPICalled" => {
                    params["type"] == "error" || params["type"] == "warning"
                }
                "Log.entryAdded" => true,
                _ => false,
            })
            .map(|(method, params)| format!("{method} {params}"))
            .collect()
    }

    /// Addresses that were asked for.
    pub fn requests(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|(method, _)| method == "Network.requestWillBeSent")
            .filter_map(|(_, params)| params["request"]["url"].as_str().map(str::to_owned))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
