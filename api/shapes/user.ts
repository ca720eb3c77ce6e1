import Joi from 'joi';
import type { User } from '#core/access/access.ts';
import { passwordLength } from '#core/access/password-hash.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, at, nullable, responseShape, wholeNumber } from './response-shape.ts';
import { textValue } from './values.ts';

const password = () => textValue(passwordLength.least, passwordLength.most).example('correct horse');

export const registration = requestShape<{ email: string; password: string }>(
  'Registration',
  {
    email: {
      names: ['email'],
      // RFC 5321 section 4.5.3.1.3 leaves 254 characters to an address.
      schema: Joi.string().email({ tlds: false }).max(254).example('me@example.com'),
      required: true,
    },
    password: password().required(),
  },
  { example: { email: 'me@example.com', password: 'correct horse' } },
);

/** E-mail and password, or an API key. */
export const signInRequest = requestShape<{ email?: string; password?: string; apiKey?: string }>(
  'SignIn',
  {
    email: textValue(1, 254),
    password: textValue(1, 256),
    apiKey: textValue(1, 256),
  },
  {
    oneOf: [['email', 'password'], ['apiKey']],
    example: { email: 'me@example.com', password: 'correct horse' },
  },
);

export const passwordChange = requestShape<{ current: string; next: string }>('PasswordChange', {
  current: { names: ['current_password', 'currentPassword'], schema: textValue(1, 256).required() },
  next: { names: ['new_password', 'newPassword'], schema: password().required() },
});

export const userShape = answerOf<User>()('User', {
  id: wholeNumber().min(1).example(1),
  email: Joi.string().example('me@example.com'),
  created_at: at(({ createdAt }) => createdAt),
});

export const signInMethods = responseShape('SignInMethods', {
  password: Joi.boolean().description('E-mail and password sign in.'),
  registration: Joi.boolean().description('Anybody may register.'),
  oidc: nullable(
    responseShape('IdentityProvider', { name: Joi.string().example('login.example.com') }),
  ).description('Identity provider of OpenID Connect.'),
});
