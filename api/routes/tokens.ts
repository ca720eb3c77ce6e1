import { audit } from '#api/context.ts';
import { route } from '#api/route.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { createdToken, tokenCreation, tokenList } from '#api/shapes/token.ts';
import { createApiKey } from '#core/access/api-keys.ts';
import { revokeKey } from '#core/access/user-changes.ts';

export const tokenRoutes = [
  route({
    method: 'get',
    path: '/api/tokens',
    operationId: 'listTokens',
    summary: 'List the API keys of the team, the newest first; never their values',
    query: pageQuery,
    success: { description: 'A page of tokens', shape: tokenList },
    handle: ({ services, caller, query }) => services.apiKeys.list(caller.team, query),
  }),
  route({
    method: 'post',
    path: '/api/tokens',
    operationId: 'createToken',
    summary: 'Make an API key',
    body: tokenCreation,
    success: { description: 'The key, shown this once', shape: createdToken },
    async handle(call) {
      const { services, caller, body } = call;
      const wanted = { ...body, createdBy: caller.user };
      const { key, value } = await createApiKey(services, caller.team, wanted, caller.expiresAt);
      await audit(call, 'api_key.created', key.name);
      return { ...key, value };
    },
  }),
  route({
    method: 'delete',
    path: '/api/tokens/{token_id}',
    operationId: 'deleteToken',
    summary: 'Revoke an API key',
    success: { description: 'Revoked', status: 204 },
    async handle(call) {
      const { services, caller, ids } = call;
      const revoked = { team: caller.team, key: ids.token_id, manager: null };
      const key = await services.rows.change(revokeKey, revoked);
      const ofOthers = key.createdBy?.id !== call.caller.user?.id;
      await audit(call, 'api_key.revoked', key.name, call.caller.team, { ofOthers });
      return undefined;
    },
  }),
];
