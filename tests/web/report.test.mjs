// A reader opens a report: it must work at once, from disk, in any colours and at any width.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { folder, logsOf, mirrorproof, moveSlider, readText, reportOf, scenario, settle, startBrowser, writeFile } from "./browser.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.stop());

const JUSTIFIED = "ule-truncate-on-fetch";
const VIOLATED = "reverse-mirroring-epoch-only";

// Texts that would do something if they were ever read as markup.
const HOSTILE = "<img src=x onerror=\"window.hit=1\">";

describe("opening", () => {
  for (const width of [1280, 400]) {
    for (const scheme of ["light", "dark"]) {
      test(`is silent, loads nothing and fits at ${width} pixels, ${scheme}`, async () => {
        for (const name of [JUSTIFIED, VIOLATED, "chain-ule-at-the-head"]) {
          const { page, complaints, requests, url } = await browser.open(reportOf(scenario(name), name), { width, scheme });
          assert.deepEqual(complaints, []);
          assert.deepEqual(requests, [url]);
          const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
          assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
          await page.context().close();
        }
      });
    }
  }

  test("says question and verdict first", async () => {
    const { page } = await browser.open(reportOf(scenario(VIOLATED), VIOLATED));
    const verdict = await page.locator(".verdict").innerText();
    assert.match(verdict, /is every truncation of it caused by an unclean leader election on the source\?/);
    assert.match(verdict, /No: the one mirror truncation goes back to no unclean leader election\./);
    assert.match(verdict, /VIOLATED\s+as expected\s+alignment-exactness, truncation-provenance, follower-truncation are broken/);
    await page.context().close();
  });

  test("dark and light differ", async () => {
    const file = reportOf(scenario(JUSTIFIED), JUSTIFIED);
    const colours = [];
    for (const scheme of ["light", "dark"]) {
      const { page } = await browser.open(file, { scheme });
      colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      await page.context().close();
    }
    assert.notEqual(colours[0], colours[1]);
  });
});

describe("moving through the run", () => {
  test("the slider changes the logs", async () => {
    const { page, complaints } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    await moveSlider(page, 0);
    assert.deepEqual(await logsOf(page), { "A/0": "", "A/1": "", "B/0": "", "B/1": "" });
    await moveSlider(page, "last");
    const end = "0:e0 1:e2 2:e2";
    assert.deepEqual(await logsOf(page), { "A/0": end, "A/1": end, "B/0": end, "B/1": end });
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test("arrow keys move by event, with shift by action", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    const where = () => page.locator("#where").innerText();
    await page.keyboard.press("Home");
    const first = await where();
    await page.keyboard.press("ArrowRight");
    const second = await where();
    assert.notEqual(first, second);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await where(), first);
    await page.keyboard.press("Shift+ArrowRight");
    assert.notEqual((await where()).match(/step (\d+)/)[1], first.match(/step (\d+)/)[1]);
    await page.context().close();
  });

  test("quiet events can be shown", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    const count = () => page.locator("#slider").evaluate((slider) => Number(slider.max) + 1);
    const few = await count();
    await page.locator("#quiet").check();
    const all = await count();
    assert.equal(all, JSON.parse(mirrorproof("run", scenario(JUSTIFIED), "--json")).events);
    assert.ok(few < all / 2, `${few} of ${all}`);
    await page.context().close();
  });

  test("records that the next truncation removes are marked, and so are those it removes", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    assert.equal(await page.locator(".logs .record.gone").count(), 2); // the truncation is where the page opens
    await page.keyboard.press("ArrowLeft");
    await settle(page);
    assert.equal(await page.locator(".logs .record.gone").count(), 0);
    assert.ok((await page.locator(".logs .doomed").count()) >= 2);
    await page.context().close();
  });
});

describe("a truncation", () => {
  test("clicked in the diagram, it lights its path everywhere", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    const path = JSON.parse(mirrorproof("run", scenario(JUSTIFIED), "--json")).mirror_truncations[0].path;
    await page.keyboard.press("Home");
    await settle(page);  // the diagram is drawn anew, and with it the mark
    const mark = page.locator(".event[data-kind=mirror_truncation]").first();
    await mark.scrollIntoViewIfNeeded();
    await mark.click();
    await settle(page);
    assert.equal(await page.locator(".diagram .lit").count(), path.length - 1);
    assert.equal(await page.locator(".diagram .lit-ring").count(), path.length);
    assert.equal(await page.locator(".graph .lit-node").count(), path.length);
    const words = await page.locator(".path-list .told").allInnerTexts();
    assert.deepEqual(words.map((line) => line.replace(/^#\d+\s*/, "")), path.map((step) => step.text));
    assert.match(await page.locator("#where").innerText(), /B\/0 truncated the mirror to 1/);
    assert.match(await page.locator(".events .here").innerText(), /B\/0 truncated the mirror to 1/);
    await page.context().close();
  });

  test("without a cause it shows where the path should have been", async () => {
    const { page } = await browser.open(reportOf(scenario(VIOLATED), VIOLATED));
    assert.equal(await page.locator(".diagram .lit").count(), 0);
    assert.match(await page.locator(".graph .node.missing").textContent(), /not found: an unclean election/);
    assert.ok((await page.locator(".graph .edge.to-missing").count()) > 0);
    assert.match(await page.locator(".case-text").innerText(), /There is no path/);
    await page.context().close();
  });

  test("each case is reached by its card and by the key n", async () => {
    const { page } = await browser.open(reportOf(scenario(VIOLATED), VIOLATED));
    const cards = page.locator(".case");
    const pressed = () => cards.evaluateAll((all) => all.findIndex((card) => card.getAttribute("aria-pressed") === "true"));
    assert.equal(await cards.count(), 3);
    await cards.nth(2).click();
    assert.equal(await pressed(), 2);
    await page.keyboard.press("n");
    assert.equal(await pressed(), 0);
    await page.context().close();
  });

  test("a node of the graph can be reached and opened without a mouse", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    const node = page.locator(".graph .node.is-cause").first();
    await node.focus();
    await page.keyboard.press("Enter");
    await settle(page);
    assert.match(await page.locator("#where").innerText(), /was elected uncleanly/);
    await page.context().close();
  });
});

describe("hostile text", () => {
  test("of a scenario stays text", async () => {
    const source = JSON.parse(readText(scenario(JUSTIFIED)));
    delete source.$schema;
    source.name = HOSTILE;
    source.description = `</script><script>window.hit=2</script>${HOSTILE}`;
    source.steps[0].note = HOSTILE;
    const file = reportOf(writeFile("hostile.json", JSON.stringify(source)), "hostile");
    const { page, complaints } = await browser.open(file);
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img, iframe, object").count(), 0);
    assert.equal(await page.locator("h1").textContent(), HOSTILE);
    assert.equal(await page.title(), `${HOSTILE} - Mirrorproof`);
    assert.ok((await page.locator(".description").textContent()).includes("</script><script>"));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test("of a trace stays text", async () => {
    const trace = `${folder}/hostile.jsonl`;
    mirrorproof("run", scenario(JUSTIFIED), "--trace", trace);
    const renamed = readText(trace).replaceAll("\"B/", `"${HOSTILE.replaceAll("\"", "'")}/`)
      .replaceAll("\"B\"", `"${HOSTILE.replaceAll("\"", "'")}"`);
    const file = `${folder}/hostile-trace.html`;
    mirrorproof("report", writeFile("renamed.jsonl", renamed), "--html", file);
    const { page, complaints } = await browser.open(file);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator(".lane-name").allTextContents()).some((name) => name.includes("<img")));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});

describe("a long run", () => {
  test("of 10,000 events opens in under 3 seconds and stays quick", async () => {
    const source = JSON.parse(readText(scenario(JUSTIFIED)));
    delete source.$schema;
    delete source.expect;
    source.run = { max_actions: 9500 };
    const trace = `${folder}/long.jsonl`;
    mirrorproof("run", writeFile("long.json", JSON.stringify(source)), "--trace", trace);
    const events = readText(trace).trimEnd().split("\n").length - 1;
    assert.ok(events >= 10000, `${events} events`);
    const file = `${folder}/long.html`;
    mirrorproof("check", trace, "--html", file);
    const { page, complaints, milliseconds } = await browser.open(file);
    assert.ok(milliseconds < 3000, `${milliseconds} ms`);
    // Only what is in view is drawn.
    await page.locator("#quiet").check();
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
    assert.ok((await page.locator("svg *").count()) < 6000);
    await page.keyboard.press("+");
    const spent = await page.evaluate(async () => {
      const scroller = document.querySelector(".scroller");
      const begin = performance.now();
      for (let i = 0; i < 20; ++i) {
        scroller.scrollLeft = (scroller.scrollWidth * i) / 20;
        await new Promise((done) => requestAnimationFrame(done));
      }
      return performance.now() - begin;
    });
    assert.ok(spent < 2000, `20 jumps took ${spent} ms`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});

describe("taking it away", () => {
  test("the scenario downloads and runs", async () => {
    const { page } = await browser.open(reportOf(scenario(VIOLATED), VIOLATED));
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
    assert.equal(download.suggestedFilename(), `${VIOLATED}.json`);
    const path = `${folder}/downloaded.json`;
    await download.saveAs(path);
    const again = JSON.parse(mirrorproof("run", path, "--json"));
    assert.equal(again.verdict, "violated");
    assert.equal(again.digest, JSON.parse(mirrorproof("run", scenario(VIOLATED), "--json")).digest);
    await page.context().close();
  });

  test("commands are copied", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    const button = page.locator("#reproduce .copy").first();
    await button.click();
    await page.waitForFunction(() => document.querySelector("#reproduce .copy").textContent === "Copied");
    await page.context().close();
  });

  test("it prints without its buttons", async () => {
    const { page } = await browser.open(reportOf(scenario(JUSTIFIED), JUSTIFIED));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".toolbar").isVisible(), false);
    assert.equal(await page.locator(".diagram").isVisible(), true);
    assert.ok((await page.pdf()).length > 20000);
    await page.context().close();
  });
});

describe("a campaign", () => {
  test("shows its failures and the first of them in full", async () => {
    const file = `${folder}/campaign.html`;
    mirrorproof("fuzz", "--seeds", "80", "--protocol", "alignment=epoch_only", "--out", `${folder}/fuzz`, "--html", file);
    const { page, complaints } = await browser.open(file);
    assert.match(await page.locator("#campaign").innerText(), /mirrorproof replay /);
    assert.ok((await page.locator(".case.bad").count()) > 0);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
