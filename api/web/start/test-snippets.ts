import type { Assertion } from '../message/assertion.ts';
import type { Snippet } from './snippets.ts';

/** Address of the page, and the domain for test addresses, which is null if the clients determine it. */
type Place = { origin: string; domain: string | null; needsKey: boolean };

/** Lines for one language: settings and installation in a terminal, and a test. */
export type TestSnippet = { name: string; install: Snippet; test: Snippet };

/** Returns tests that read an email's code with the clients that the server provides. */
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

/** Language names as choices. */
export const languageNames = () => languages.map(({ name }) => [name, name] as const);

/**
 * Returns an API assertion as lines of a test in a language. The lines wait for the email by its subject, then check its code and its
 * links.
 */
export function assertionIn(language: string, assertion: Assertion): string {
  const { checks } = languages.find(({ name }) => name === language) ?? languages[0];
  if (!checks) return `sandpost assert - <<'ASSERTION'\n${JSON.stringify(assertion, null, 2)}\nASSERTION`;
  return assertion.expect
    .map(({ subject, code, link }) =>
      subject
        ? checks.subject(JSON.stringify(subject.equals))
        : code
          ? checks.code(JSON.stringify(code.matches))
          : link && checks.link(JSON.stringify(link.kind), JSON.stringify(link.host ?? '')),
    )
    .filter(Boolean)
    .join('\n');
}

/** Lines that each check one clause. Their arguments are literals, whose syntax the languages share. */
type Checks = {
  subject(text: string): string;
  code(pattern: string): string;
  link(kind: string, host: string): string;
};

type Language = Snippet & { install(clients: string): string; checks?: Checks };

const languages: [Language, ...Language[]] = [
  {
    name: 'Playwright',
    install: (clients) => `npm install --save-dev @sandpost/client --@sandpost:registry=${clients}npm/`,
    file: 'sign-up.spec.ts',
    checks: {
      subject: (text) => `const mail = await inbox.wait({ subject: ${text} });`,
      code: (pattern) => `expect(mail.code()).toMatch(new RegExp(${pattern}));`,
      link: (kind, host) => `expect(mail.link(${kind})).toContain(${host});`,
    },
    text: `import { expect, test } from '@sandpost/client/playwright';

test('sign up', async ({ page, inbox }) => {
  await page.goto('http://localhost:3000/');
  await page.getByLabel('Email').fill(inbox.address);
  await page.getByRole('button', { name: 'Sign up' }).click();
  const mail = await inbox.wait({ subject: 'Welcome' });
  await page.getByLabel('Code').fill(mail.code());
});`,
  },
  {
    name: 'pytest',
    install: (clients) => `pip install --index-url ${clients}python/ sandpost`,
    file: 'test_sign_up.py',
    checks: {
      subject: (text) => `mail = inbox.wait(subject=${text})`,
      code: (pattern) => `assert re.search(${pattern}, mail.code())`,
      link: (kind, host) => `assert ${host} in mail.link(${kind})`,
    },
    text: `def test_sign_up(inbox):
    sign_up("http://localhost:3000/sign-up", email=inbox.address)
    mail = inbox.wait(subject="Welcome")
    confirm("http://localhost:3000/confirm", code=mail.code())`,
  },
  {
    name: 'JUnit',
    install: (clients) =>
      `# Copy Sandpost.java and SandpostExtension.java from ${clients} to src/test/java/dev/sandpost/`,
    file: 'SignUpTest.java',
    checks: {
      subject: (text) => `var mail = inbox.waitFor(wanted -> wanted.subject(${text}));`,
      code: (pattern) => `assertTrue(mail.code().matches(${pattern}));`,
      link: (kind, host) => `assertTrue(mail.link(${kind}).contains(${host}));`,
    },
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
    checks: {
      subject: (text) => `mail := inbox.Wait(sandpost.Conditions{Subject: ${text}})`,
      code: (pattern) =>
        `if !regexp.MustCompile(${pattern}).MatchString(mail.Code()) {\n\tt.Error(mail.Code())\n}`,
      link: (kind, host) =>
        `if !strings.Contains(mail.Link(${kind}), ${host}) {\n\tt.Error(mail.Link(${kind}))\n}`,
    },
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
