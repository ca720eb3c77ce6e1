import Joi from 'joi';
import { route } from '#api/route.ts';
import { listOf, nullable, responseShape, text, wholeNumber } from '#api/shapes/response-shape.ts';
import { checkLinks } from '#core/extraction/check-links.ts';
import { limits } from '#core/limits.ts';

const linksShape = listOf(
  responseShape('CheckedLink', {
    url: text().example('https://shop.example/orders/7'),
    status: nullable(Joi.number().integer().min(100).max(999))
      .example(200)
      .description('Of the last answer.'),
    error: nullable(text()).example(null).description('Why it was not requested, or leads nowhere.'),
    redirects: wholeNumber().example(1).description('Followed, at most three.'),
    ms: wholeNumber().example(84),
  }),
);

export const messageLinksRoute = route({
  method: 'post',
  path: '/api/messages/{message_id}/checks/links',
  operationId: 'checkLinks',
  summary: 'Request the links of a message',
  description:
    'Links that verify, reset, sign in, invite or unsubscribe, that name another act, or that have a token are listed and never requested. 403 unless the server may make requests (SANDPOST_OUTBOUND, SANDPOST_OUTBOUND_NETWORKS).',
  success: { description: 'The first 100 links, in their order', schema: linksShape },
  handle: ({ services, caller, ids, signal }) =>
    checkLinks(services, caller.userId, caller.team, ids.message_id, limits.outbound.links, signal),
});
