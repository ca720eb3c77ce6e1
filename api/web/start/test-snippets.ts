import type { Snippet } from './snippets.ts';

/** Page's own address, and the domain of the addresses of tests, null for the one that clients find. */
type Place = { origin: string; domain: string | null; needsKey: boolean };

/** Lines of one language: settings and installation for a terminal, and a test. */
export type TestSnippet = { name: string; install: Snippet; test: Snippet };

/** Returns a test that reads the code of a mail, by the clients that the server gives out. */
export function testSnippets({ origin, domain, needsKey }: Place): TestSnippet[] {
  const settings = [
    `export SANDPOST_URL=${origin}`,
    ...(needsKey ? ['export SANDPOST_API_KEY=API_KEY'] : []),
    ...(domain === null ? [] : [`export SANDPOST_DOMAIN=${domain}`]),
  ];
  const clients = `${origin}/clients/`;
  return languages.map(({ name, install, file, text }) => ({
    name,
    install: { name, file: 'terminal', text: [...settings, install(clients)].join('\n') },
    test: { name: `a test with ${name}`, file, text },
  }));
}

const languages: (Snippet & { install(clients: string): string })[] = [
  {
    name: 'Playwright',
    install: (clients) => `npm install --save-dev @sandpost/client --@sandpost:registry=${clients}npm/`,
    file: 'sign-up.spec.ts',
    text: `import { expect, test } from '@sandpost/client/playwright';

test('sign up', async ({ page, inbox }) => {
  await page.goto('http://localhost:3000/');
  await page.getByLabel('E-mail').fill(inbox.address);
  await page.getByRole('button', { name: 'Sign up' }).click();
  const mail = await inbox.wait({ subject: 'Welcome' });
  await page.getByLabel('Code').fill(mail.code());
});`,
  },
  {
    name: 'pytest',
    install: (clients) => `pip install --index-url ${clients}python/ sandpost`,
    file: 'test_sign_up.py',
    text: `def test_sign_up(inbox):
    sign_up("http://localhost:3000/sign-up", email=inbox.address)
    mail = inbox.wait(subject="Welcome")
    confirm("http://localhost:3000/confirm", code=mail.code())`,
  },
  {
    name: 'JUnit',
    install: (clients) =>
      `# src/test/java/dev/sandpost/: Sandpost.java and SandpostExtension.java of ${clients}`,
    file: 'SignUpTest.java',
    text: `@ExtendWith(SandpostExtension.class)
class SignUpTest {
    @Test
    void signUp(Inbox inbox) {
        shop.signUp(inbox.address);
        var mail = inbox.waitFor(wanted -> wanted.subject("Welcome"));
        shop.confirm(mail.code());
    }
}`,
  },
  {
    name: 'Go',
    install: (clients) => `# sandpost/sandpost.go: from ${clients}`,
    file: 'sign_up_test.go',
    text: `func TestSignUp(t *testing.T) {
	inbox := sandpost.New(t).Inbox("signup")
	signUp(inbox.Address)
	mail := inbox.Wait(sandpost.Conditions{Subject: "Welcome"})
	confirm(mail.Code())
}`,
  },
  {
    name: 'Shell',
    install: (clients) => `# sandpost, a script: from ${clients}`,
    file: 'sign-up.sh',
    text: `address=$(sandpost address signup)
curl -sf http://localhost:3000/sign-up -d "email=$address"
code=$(sandpost code "$address" subject=Welcome)
curl -sf http://localhost:3000/confirm -d "code=$code"`,
  },
];
