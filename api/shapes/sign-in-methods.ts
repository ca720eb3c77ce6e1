import Joi from 'joi';
import { nullable, responseShape } from './response-shape.ts';

export const signInMethods = responseShape('SignInMethods', {
  password: Joi.boolean().description('E-mail and password sign in.'),
  registration: Joi.boolean().description('Anybody may register.'),
  oidc: nullable(
    responseShape('IdentityProvider', { name: Joi.string().example('login.example.com') }),
  ).description('Identity provider of OpenID Connect.'),
});
