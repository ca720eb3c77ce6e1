/** Mail of the button "Send me a test mail": it has a code and a link, so that there is something to see. */
export function testMail(address: string): object {
  return {
    to: [address],
    subject: 'Welcome to Sandpost',
    text: [
      'This mail came through the sandbox.',
      '',
      'Your code is 493817.',
      '',
      'Confirm your address: https://app.example/verify?token=493817',
    ].join('\n'),
    html: `<div style="font: 16px/1.5 sans-serif; max-width: 32em; margin: 0 auto; padding: 24px">
<h1 style="font-size: 22px">It works</h1>
<p>This mail came through the sandbox. Your code is <strong>493817</strong>.</p>
<p><a href="https://app.example/verify?token=493817">Confirm your address</a></p>
</div>`,
  };
}
