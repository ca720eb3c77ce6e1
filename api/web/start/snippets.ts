/** Lines to copy. `name` is a tool or framework, `file` is where the lines go. */
export type Snippet = { name: string; file: string; text: string };

/** Listener, recipient for the lines that send an email, and credentials for AUTH, or null. */
type Place = {
  host: string;
  port: number;
  address: string;
  signIn: { user: string; password: string } | null;
};

const from = 'shop@example.com';

/** Returns lines that send an email through the listener, without TLS, by tool and by framework. */
export function snippets({ host, port, address, signIn }: Place): Snippet[] {
  const { user, password } = signIn ?? { user: '', password: '' };
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return [
    {
      name: 'curl',
      file: 'terminal',
      text: `curl smtp://${server} --mail-from ${from} \\
  --mail-rcpt ${address}${signIn ? ` --user ${user}:${password}` : ''} --upload-file - <<'MAIL'
From: Shop <${from}>
To: ${address}
Subject: Welcome

Your code is 493817.
MAIL`,
    },
    {
      name: 'swaks',
      file: 'terminal',
      text: `swaks --server ${server} --from ${from} --to ${address} \\${
        signIn ? `\n  --auth-user ${user} --auth-password ${password} \\` : ''
      }
  --header 'Subject: Welcome' --body 'Your code is 493817.'`,
    },
    {
      name: 'Nodemailer',
      file: 'mail.js',
      text: `import nodemailer from 'nodemailer';

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  secure: false,
  ignoreTLS: true,${signIn ? `\n  auth: { user: '${user}', pass: '${password}' },` : ''}
});
await transport.sendMail({
  from: '${from}',
  to: '${address}',
  subject: 'Welcome',
  text: 'Your code is 493817.',
});`,
    },
    {
      name: 'Django',
      file: 'settings.py',
      text: `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "${host}"
EMAIL_PORT = ${port}
EMAIL_HOST_USER = "${user}"
EMAIL_HOST_PASSWORD = "${password}"
EMAIL_USE_TLS = False
EMAIL_USE_SSL = False`,
    },
    {
      name: 'Rails',
      file: 'config/environments/staging.rb',
      text: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: "${host}",
  port: ${port},
${signIn ? `  user_name: "${user}",\n  password: "${password}",\n  authentication: :plain` : '  authentication: nil'},
  enable_starttls: false,
  enable_starttls_auto: false
}`,
    },
    {
      name: 'Laravel',
      file: '.env',
      text: `MAIL_MAILER=smtp
MAIL_HOST=${host}
MAIL_PORT=${port}
MAIL_USERNAME=${signIn ? user : 'null'}
MAIL_PASSWORD=${signIn ? password : 'null'}
MAIL_SCHEME=null
MAIL_ENCRYPTION=null`,
    },
    {
      name: 'Spring',
      file: 'application.properties',
      text: `spring.mail.host=${host}
spring.mail.port=${port}
${signIn ? `spring.mail.username=${user}\nspring.mail.password=${password}\n` : ''}spring.mail.properties.mail.smtp.auth=${signIn !== null}
spring.mail.properties.mail.smtp.starttls.enable=false`,
    },
    {
      name: 'PHP',
      file: 'PHPMailer',
      text: `$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = '${host}';
$mail->Port = ${port};
$mail->SMTPAuth = ${signIn !== null};${signIn ? `\n$mail->Username = '${user}';\n$mail->Password = '${password}';` : ''}
$mail->SMTPSecure = '';
$mail->SMTPAutoTLS = false;`,
    },
    {
      name: '.NET',
      file: 'MailKit',
      text: `using var client = new MailKit.Net.Smtp.SmtpClient();
await client.ConnectAsync("${host}", ${port}, MailKit.Security.SecureSocketOptions.None);${signIn ? `\nawait client.AuthenticateAsync("${user}", "${password}");` : ''}
await client.SendAsync(message);
await client.DisconnectAsync(true);`,
    },
  ];
}
