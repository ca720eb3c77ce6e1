import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await startMailProgram();

async function openHtml(html: string) {
  const id = await deliverOne(mail.program, { to: mail.user.address, text: 'Hi', html });
  const page = await openPage(mail.program, mail.user, `/mail/all/${id}`);
  await page.locator('.message-frame').waitFor();
  return page;
}

test('a mail is shown in its own dark styles, and in inverted colors, its images as they are', async () => {
  await using page = await openHtml(
    `<style>p{color:rgb(1,1,1)}@media (prefers-color-scheme:dark){p{color:rgb(9,9,9)}}</style><style media="screen and (prefers-color-scheme:dark)">b{color:rgb(8,8,8)}</style><p>Hi <b>you</b></p><img src="http://other.example/i.png">`,
  );
  const frame = page.frameLocator('.message-frame');
  const colorOf = (name: string) =>
    frame.locator(name).evaluate((element) => getComputedStyle(element).color);
  const color = () => colorOf('p');
  const filters = async () => [
    await page.locator('.message-frame').evaluate((element) => getComputedStyle(element).filter),
    await frame.locator('img').evaluate((element) => getComputedStyle(element).filter),
  ];
  assert.equal(await color(), 'rgb(1, 1, 1)');
  await page.getByRole('checkbox', { name: 'Dark' }).click();
  await until(async () => (await color()) === 'rgb(9, 9, 9)');
  assert.equal(await colorOf('b'), 'rgb(8, 8, 8)');
  await page.getByRole('checkbox', { name: 'Dark' }).click();
  await until(async () => (await color()) === 'rgb(1, 1, 1)');
  assert.equal(await colorOf('b'), 'rgb(1, 1, 1)');
  assert.deepEqual(await filters(), ['none', 'none']);
  await page.getByRole('checkbox', { name: 'Invert' }).click();
  const inverted = 'invert(1) hue-rotate(180deg)';
  await until(async () => (await filters()).join() === `${inverted},${inverted}`);
  assert.deepEqual(page.errors, []);
});

test('the source is decoded, with the lines that checks point at', async () => {
  const cells = '<td title="a"><b>Hi</b></td>'.repeat(9);
  await using page = await openHtml(
    `<p>One\r\n<!-- two -->\r\n<table><tr>${cells}<td style="display:grid">x</table>`,
  );
  await page.getByRole('radio', { name: 'Source' }).check({ force: true });
  await page.waitForURL('**/markup');
  const lines = page.locator('.markup li');
  await lines.first().waitFor();
  assert.equal(await lines.count(), 3);
  assert.ok((await lines.nth(2).locator('.wraps').count()) > 9);
  assert.equal(await page.locator('.markup .wanted').count(), 0);
  await page.goto(`${page.url()}-3-display`);
  const wanted = page.locator('.markup .wanted');
  await wanted.waitFor();
  assert.match((await wanted.textContent()) ?? '', /^ *<td style="display:grid">x/);
  assert.deepEqual(page.errors, []);
});

test('the text stands beside the HTML, with a word on a code or a link that one of them lacks', async () => {
  const id = await deliverOne(mail.program, {
    to: mail.user.address,
    text: 'Your code is 493817. Confirm: https://app.test/verify?t=1&u=2',
    html: '<p>Your code is <b>49</b><b>3817</b>. Confirm: <a href="https://app.test/verify?t=1&amp;u=2">here</a>',
  });
  const other = await deliverOne(mail.program, {
    to: mail.user.address,
    text: 'Hello. Confirm: https://app.test/verify?t=2',
    html: '<p>Your code is 493817. <a href="https://app.test/verify?t=1">Confirm</a>',
  });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}/compare`);
  const text = page.getByRole('region', { name: 'Text' });
  await text.getByText('Your code is 493817').waitFor();
  assert.equal(await text.locator('.remark').count(), 0);
  await page.goto(`/mail/all/${other}`);
  await page.getByRole('radio', { name: 'With text' }).check({ force: true });
  await text.getByText('Not in the text: 493817, https://app.test/verify?t=1').waitFor();
  await text.getByText('Not in the HTML: https://app.test/verify?t=2').waitFor();
  await page.locator('.message-frame').waitFor();
  assert.deepEqual(page.errors, []);
});
