// What the tests share: the program that makes reports, and a browser that opens them and hears all its complaints.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { chromium } = createRequire(join(process.env.MIRRORPROOF_WEB_MODULES, "package.json"))("playwright-core");

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const folder = mkdtempSync(join(tmpdir(), "mirrorproof-web-"));

export const scenario = (name) => join(root, "scenarios", `${name}.json`);

// Runs the program; any exit code but those of verdicts is an error.
export function mirrorproof(...parameters) {
  const result = spawnSync(process.env.MIRRORPROOF_CLI, parameters, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (![0, 1, 3].includes(result.status)) {
    throw new Error(`mirrorproof ${parameters.join(" ")}: ${result.status}\n${result.stderr}`);
  }
  return result.stdout;
}

export function writeFile(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export const readText = (path) => readFileSync(path, "utf8");

// The report of a scenario as a file.
export function reportOf(path, name, ...parameters) {
  const file = join(folder, `${name}.html`);
  mirrorproof("run", path, "--html", file, "--force", ...parameters);
  return file;
}

export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: process.env.MIRRORPROOF_CHROMIUM });
  return {
    // Opens a report. `complaints` and `requests` fill while the page lives.
    async open(file, { width = 1280, height = 900, scheme = "light", hash = "" } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
      const page = await context.newPage();
      const complaints = [];
      const requests = [];
      page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
      page.on("request", (request) => requests.push(request.url()));
      const begin = performance.now();
      const url = pathToFileURL(file).href + hash;
      await page.goto(url);
      await page.waitForSelector("html[data-ready]");
      await settle(page);
      return { page, complaints, requests, url, milliseconds: performance.now() - begin };
    },
    async stop() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Until everything that was asked to draw has drawn.
export const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// The logs as the page draws them: {"A/0": "0:e0 1:e2", ...}, without what the event itself removed.
export const logsOf = (page) => page.evaluate(() => {
  const names = [...document.querySelectorAll(".log-name > span")].map((name) => name.textContent);
  const logs = [...document.querySelectorAll("[data-log]")].map((log) =>
    [...log.querySelectorAll(".record:not(.gone)")].map((record) =>
      `${record.dataset.offset}:${record.querySelector("text").textContent}`).join(" "));
  return Object.fromEntries(names.map((name, i) => [name, logs[i]]));
});

export async function moveSlider(page, column) {
  await page.locator("#slider").evaluate((slider, value) => {
    slider.value = value === "last" ? slider.max : value;
    slider.dispatchEvent(new Event("input"));
  }, column);
  await settle(page);
}

