import { testCodes } from '#test/support/mails/codes.ts';

/** Mails as services write them, and the code that a person would type. */
testCodes([
  [
    'Google Verification Code',
    'Dear Google User,\n\nWe received a request to access your Google Account alice@gmail.com through your email address. Your Google verification code is:\n\n482913\n\nIf you did not request this code, it is possible that someone else is trying to access the Google Account alice@gmail.com. Do not forward or give this code to anyone.\n\nSincerely yours,\n\nThe Google Accounts team',
    ['482913'],
  ],
  ['G-482913 is your Google verification code', '', ['G-482913']],
  [
    '[GitHub] Please verify your device',
    'Hey octocat!\n\nA sign in attempt requires further verification because we did not recognize your device. To complete the sign in, enter the verification code on the unrecognized device.\n\nDevice: Chrome on Windows\nVerification code: 482913\n\nIf you did not attempt to sign in to your account, your password may be compromised. Visit https://github.com/settings/security to create a new, strong password for your GitHub account.\n\nThanks,\nThe GitHub Team',
    ['482913'],
  ],
  [
    '[GitHub] Sudo email verification code',
    'Hey octocat!\n\nHere is your GitHub sudo authentication code:\n\n    91827364\n\nThis code is valid for 15 minutes and can only be used once.',
    ['91827364'],
  ],
  [
    '🚀 Your GitHub launch code',
    'Here’s your GitHub launch code, @octocat!\n\nContinue signing up for GitHub by entering the code below:\n\n48291340\n\nOpen GitHub\nhttps://github.com/account_verifications?via_launch_code_email=true\n\nOnce completed, you can start using all of GitHub’s features',
    ['48291340'],
  ],
  [
    'Microsoft account security code',
    "Microsoft account\nSecurity code\n\nPlease use the following security code for the Microsoft account al**e@outlook.com.\n\nSecurity code: 4829134\n\nOnly enter this code on an official website or app. Don't share it with anyone. We'll never ask for it outside an official platform.\n\nThanks,\nThe Microsoft account team\n\nPrivacy Statement: https://go.microsoft.com/fwlink/?LinkId=521839\nMicrosoft Corporation, One Microsoft Way, Redmond, WA 98052",
    ['4829134'],
  ],
  [
    'Your single-use code',
    'Hi Alice,\n\nWe received your request for a single-use code to use with your Microsoft account.\n\nYour single-use code is: 482913\n\nOnly enter this code on an official website or app.',
    ['482913'],
  ],
  [
    '482913 is your Amazon OTP',
    'To authenticate, please use the following One Time Password (OTP):\n\n482913\n\nThis OTP will be valid for 10 minutes.\n\nDo not share this OTP with anyone. Amazon takes your account security very seriously. Amazon Customer Service will never ask you to disclose or verify your Amazon password, OTP, credit card, or banking account number.',
    ['482913'],
  ],
  [
    'Amazon認証',
    '認証するには、次のワンタイムパスワード（OTP）を使用してください。\n\n482913\n\nこのOTPは10分間有効です。\n\nこのOTPを誰にも教えないでください。',
    ['482913'],
  ],
  [
    'Your Steam account: Access from new computer',
    'alice,\n\nHere is the Steam Guard code you need to login to account alice99:\n\nR2D2C\n\nThis email was generated because of a login attempt from a computer located at 203.0.113.7 (DE).\n\nThe Steam Support Team\nhttps://help.steampowered.com',
    ['R2D2C'],
  ],
  [
    'Your Steam account: Access from new web or mobile device',
    'Dear alice,\n\nHere is the Steam Guard code you need to login to account alice99:\n\nKXQZP\n\nThis email was generated because of a login attempt from a web or mobile device located at 203.0.113.7 (DE).\n\nThe Steam Support Team',
    ['KXQZP'],
  ],
  [
    'Slack confirmation code: X7K-2PQ',
    "Confirm your email address\n\nYour confirmation code is below — enter it in your open browser window and we'll help you get signed in.\n\nX7K-2PQ\n\nIf you didn’t request this email, there’s nothing to worry about, you can safely ignore it.\n\nSlack Technologies, LLC\n415 Mission Street, San Francisco, CA 94105",
    ['X7K-2PQ'],
  ],
  [
    'Your temporary Notion login code is sulu-waxi-jopi',
    'Login\n\nClick here to log in with this magic link\n\nOr, copy and paste this temporary login code:\n\nsulu-waxi-jopi\n\nIf you didn’t try to login, you can safely ignore this email.',
    ['sulu-waxi-jopi'],
  ],
  ['Your Notion login code is 482913', '', ['482913']],
  [
    'Your Link verification code: 482913',
    "482913 is your Link verification code. Don't share it with anyone.",
    ['482913'],
  ],
  [
    'Verify your email',
    "Your verification code is: 482913\n\nIf you are having any issues with your account, please don't hesitate to contact us by replying to this mail.\n\nThanks!\nAcme",
    ['482913'],
  ],
  [
    '482913 is your verification code for acme-app.firebaseapp.com.',
    '482913 is your verification code for acme-app.firebaseapp.com.',
    ['482913'],
  ],
  ['Your two factor authentication code', 'Hello alice@app.test!\n\nYour OTP code is 482913\n', ['482913']],
  [
    'Two Factor Code',
    '# Hello!\n\nYour two factor code is 482913\n\nVerify Here: https://app.test/verify\n\nThe code will expire in 10 minutes\n\nRegards,\nLaravel',
    ['482913'],
  ],
  ['Access code', 'Your access code is 482913. It expires in 5 minutes.', ['482913']],
  [
    'Verify email',
    'Please verify your email address by entering in the following code.\n\n482913\n',
    ['482913'],
  ],
  ['Your Discord verification code', 'Your Discord verification code is: 482913', ['482913']],
  [
    'Telegram Login Code',
    'Login code: 48291. Do not give this code to anyone, even if they say they are from Telegram!\n\nThis code can be used to log in to your Telegram account. We never ask it for anything else.',
    ['48291'],
  ],
  [
    'Your Code - 482913',
    'Your Code is:\n482913\n\nUse this code to log in to your Telegram account.',
    ['482913'],
  ],
  [
    'WhatsApp code',
    "Your WhatsApp code: 482-913\n\nYou can also tap on this link to verify your phone: v.whatsapp.com/482913\n\nDon't share this code with others",
    ['482913'],
  ],
  [
    'LINE 認証番号',
    'LINEをご利用いただきありがとうございます。\n\n以下の認証番号を入力してください。\n\n認証番号：4829\n\n※認証番号の有効期限は30分です。',
    ['4829'],
  ],
  [
    '微信验证码',
    '您好！\n\n您正在进行邮箱绑定，验证码为：482913，30分钟内有效。请勿向他人泄露。\n\n微信团队',
    ['482913'],
  ],
  [
    '[카카오] 이메일 인증번호 안내',
    '안녕하세요, 카카오입니다.\n\n아래 인증번호를 입력하여 이메일 인증을 완료해 주세요.\n\n인증번호\n48291340\n\n인증번호는 10분간 유효합니다.',
    ['48291340'],
  ],
  [
    '[네이버] 인증번호 안내',
    '요청하신 인증번호를 알려드립니다. 아래 번호를 인증번호 입력창에 입력해 주세요.\n\n인증번호 : 482913',
    ['482913'],
  ],
  [
    'Код подтверждения: 482913',
    'Здравствуйте!\n\nВаш код подтверждения: 482913. Никому не сообщайте код.\n\nС уважением, команда Яндекс ID',
    ['482913'],
  ],
  ['Код для входа', 'Код подтверждения входа: 48291. Никому его не говорите.', ['48291']],
  [
    'СберБанк',
    'Одноразовый пароль 48291 для входа в СберБанк Онлайн. Никому не сообщайте пароль.',
    ['48291'],
  ],
  ['Госуслуги', 'Ваш пин-код: 4829. Используйте его для подтверждения.', ['4829']],
  ['Банк', 'Код 4829 для оплаты 1 250,00 RUB картой *1234 в магазине OZON. Никому не сообщайте.', ['4829']],
  [
    'Tu código de seguridad es 482913',
    'Hola Alice,\n\nUsá este código para verificar tu identidad:\n\n482913\n\nNo compartas este código con nadie. Mercado Libre nunca te lo va a pedir.',
    ['482913'],
  ],
  [
    'Ihr Sicherheitscode für Ihr DB Kundenkonto',
    'Sehr geehrte Frau Example,\n\nzur Anmeldung in Ihrem Kundenkonto geben Sie bitte folgenden Sicherheitscode ein:\n\n482913\n\nDer Code ist 10 Minuten gültig.\n\nIhre Deutsche Bahn',
    ['482913'],
  ],
  [
    'Twój kod: 482913',
    'Cześć,\n\nTwój kod do logowania w Allegro to 482913. Kod jest ważny 15 minut.\n\nPozdrawiamy\nZespół Allegro',
    ['482913'],
  ],
  [
    'Dein Bestätigungscode',
    'Hallo Alice,\n\ndein Code lautet:\n\n4829\n\nGib ihn in der App ein, um deine E-Mail-Adresse zu bestätigen.\n\nDein ImmoScout24-Team',
    ['4829'],
  ],
  [
    'Ihre TAN',
    'Die TAN für Ihre Überweisung über 1.250,00 EUR an DE89 3704 0044 0532 0130 00 lautet: 482913',
    ['482913'],
  ],
  ['Login-TAN', 'Ihre Login-TAN 482913', ['482913']],
  [
    'OTP for your transaction',
    'Dear Customer, 482913 is the OTP for transaction of INR 5,000.00 at AMAZON on your HDFC Bank Card ending 1234. Valid till 12:45:10. Do not share OTP for security reasons.',
    ['482913'],
  ],
  [
    'Transaction OTP',
    'OTP for txn of Rs 4,999.00 on card XX1234 at FLIPKART is 482913. Valid for 5 mins. Never share OTP.',
    ['482913'],
  ],
  ['Revolut', 'Revolut verification code: 482-913. Never share this code with anyone, ever.', ['482913']],
  [
    'Your X confirmation code is pqk8fh4z',
    'Confirm your email address\n\nThere’s one quick step you need to complete before creating your X account. Let’s make sure this is the right email address for you — please confirm this is the right address to use for your new account.\n\nPlease enter this verification code to get started on X:\npqk8fh4z\n\nVerification codes expire after two hours.\n\nThanks,\nX',
    ['pqk8fh4z'],
  ],
  [
    '482913 is your Instagram code',
    'Hi,\n\nSomeone tried to sign up for an Instagram account with alice@app.test. If it was you, enter this confirmation code in the app:\n\n482913\n\n© Instagram. Meta Platforms, Inc., 1601 Willow Road, Menlo Park, CA 94025',
    ['482913'],
  ],
  [
    "Alice, here's your PIN 482913",
    "Hi Alice,\n\nHere's your verification code\n482913\nThe code above will expire in 15 minutes.\n\n© 2026 LinkedIn Ireland Unlimited Company, Wilton Plaza, Wilton Place, Dublin 2.",
    ['482913'],
  ],
  ['482913 \u2013 Your Spotify login code', '', ['482913']],
  [
    'Your Dropbox security code',
    "Hi Alice,\n\nYour security code is 482913.\n\nIt's valid for 10 minutes.\n\nHappy Dropboxing!",
    ['482913'],
  ],
  ['482913 \u2013 Your Twitch verification code', '', ['482913']],
  [
    'Your two-factor sign in code',
    'Your two-factor sign in code\n\nSign in attempt from: Berlin, DE\n\n482913\n\nPlease note: this code expires in 10 minutes',
    ['482913'],
  ],
  [
    'Your ChatGPT code is 482913',
    'Enter this temporary verification code to continue:\n\n482913\n\nPlease ignore this email if this wasn’t you trying to create a ChatGPT account.\n\nBest,\nThe ChatGPT team',
    ['482913'],
  ],
  ['Your login code', 'Use this code to finish signing in:\n\n482 913\n', ['482913']],
  [
    '482913 is your verification code',
    "Verification code\n\nEnter the following verification code when prompted:\n\n482913\n\nTo protect your account, do not share this code.\n\nDidn't request this?\nThis code was requested from 203.0.113.7, Berlin, Germany at 26 November 2026, 09:00 UTC. If you didn't make this request, you can safely ignore this email.",
    ['482913'],
  ],
  ['Your verification code', 'Your confirmation code is 482913', ['482913']],
  ['Your temporary password', 'Your username is alice and temporary password is 48291340.', ['48291340']],
  [
    'Contoso account email verification code',
    'Verify your email address\nThanks for verifying your alice@app.test account!\nYour code is: 482913\nSincerely,\nContoso',
    ['482913'],
  ],
  [
    '[example.com] Sign-In Code',
    'Hello from example.com!\n\nYour sign-in code is listed below. Please enter it in your open browser window.\n\nX7K2PQ\n\nThis mail can be safely ignored if you did not initiate this action.\n\nThank you for using example.com!',
    ['X7K2PQ'],
  ],
  ['Your OTP', 'OTP: 482913', ['482913']],
  [
    'Sign in to app',
    'Your sign-in code: 482913\nor https://app.test/api/auth/callback/email?token=abc',
    ['482913'],
  ],
  [
    'FB-64829 is your Facebook confirmation code',
    'You may be asked to enter this confirmation code: 64829',
    ['64829'],
  ],
  [
    'Login for Linear',
    'If the link does not work, you can use the login verification code directly:\n\nqkzpw-mnbvc',
    ['qkzpw-mnbvc'],
  ],
  ['Confirm your account', 'Confirmation code: K7T4QX', ['K7T4QX']],
  ['Your Acme code', 'Enter the code (e.g. from the app): 482913', ['482913']],
  ['Acme', 'Please enter 482913 on the sign-in page.', ['482913']],
  ['482-913 | Your Acme code', '', ['482913']],
  ['Acme', 'Ihre mobileTAN für den Auftrag 204819 vom 27.11.2026: 482913', ['482913']],
  [
    'Acme',
    'Your backup codes:\n 1. 4829 1377\n 2. 2048 1937\n10. 7756 2014',
    ['48291377', '20481937', '77562014'],
  ],
  ['Acme', 'Your recovery codes:\n* 1a2b3-c4d5e\n* f6a7b-8c9d0', ['1a2b3-c4d5e', 'f6a7b-8c9d0']],
]);
