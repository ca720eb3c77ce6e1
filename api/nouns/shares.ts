import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import {
  answerOf,
  at,
  nullable,
  text,
  timestampOrNull,
  url,
  wholeNumber,
} from '#api/shapes/response-shape.ts';
import { durationValue, idValue } from '#api/shapes/values.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { endShare } from '#core/shares/change-shares.ts';
import { createShare, mostShareSeconds, shareSeconds, shareUrl } from '#core/shares/create-share.ts';
import type { ListedShare } from '#core/shares/share.ts';

type ShareCreation = { messageId?: Id; accountId?: Id; expiresIn: number };

const shareCreation = requestShape<ShareCreation>(
  'ShareCreation',
  {
    messageId: idValue().description('Message that the link shows.'),
    accountId: idValue().description('Account whose messages the link shows, as they arrive.'),
    expiresIn: durationValue(mostShareSeconds / 86_400)
      .default(shareSeconds)
      .description('Seconds, or a duration such as `12h` or `7d`, up to 30 days. Default: 7 days.')
      .example('7d'),
  },
  { oneOf: [['messageId'], ['accountId']], example: { message_id: 7, expires_in: '7d' } },
);

export const shareShape = answerOf<ListedShare>()('Share', {
  id: wholeNumber().min(1).example(3),
  message_id: nullable(wholeNumber().min(1)).example(7),
  account_id: nullable(wholeNumber().min(1)).example(null),
  name: text().example('Welcome').description('Subject or address when the link was created.'),
  created_by: [
    nullable(Joi.string())
      .example('ada@example.com')
      .description("Creator of the link. Null if a Kubernetes resource's key created it."),
    ({ creator }) => creator,
  ],
  created_at: at(({ createdAt }) => createdAt),
  expires_at: at(({ expiresAt }) => expiresAt),
  opened_at: timestampOrNull(({ openedAt }) => openedAt),
});

/** Link with its address, which later responses omit. */
export const createdShare = answerOf<ListedShare & { url: string }>()('CreatedShare', {
  ...shareShape.fields,
  url: [
    url()
      .example('http://localhost:8080/s/Zk3vXbKq5nLr0yWc7RjB2mHs9DfEgUaPiO4tTzQ8xVM')
      .description('URL for the people who may see the content. Shown only in this response.'),
    (share) => share.url,
  ],
});

export const shareRoutes = collection({
  noun: ['Share', 'Shares'],
  words: ['share link', 'share links'],
  path: '/api/shares',
  id: 'share_id',
  shape: shareShape,
  list: {
    summary: "List the team's share links, newest first, without their URLs",
    run: ({ services, caller, query }) =>
      services.rows.list('shares', { team: caller.team, now: services.clock() }, query),
  },
  create: {
    summary: 'Create a link that shows a message or an account without sign-in',
    description:
      'The page at `url` returns JSON for `Accept: application/json`. The link ends when it expires, when you revoke it, when its message, account or team is deleted, or when its creator leaves the team. Returns 403 `shares_forbidden` if the team forbids links.',
    body: shareCreation,
    success: { description: 'The link, with its URL', shape: createdShare },
    async run({ services, caller, body: { messageId, accountId, expiresIn } }) {
      if (messageId !== undefined && accountId !== undefined)
        throw invalid('accountId', 'cannot be combined with message_id: a link shows one or the other');
      const { share, secret } = await createShare(services, caller.team, {
        target: messageId === undefined ? { accountId: accountId ?? 0 } : { messageId },
        expiresIn,
        createdBy: caller.user?.id ?? null,
        latest: caller.expiresAt,
      });
      const creator = caller.user?.email ?? null;
      return { ...share, creator, url: shareUrl(services.config, secret) };
    },
    audit: ({ name }) => ['share.created', name],
  },
  delete: {
    summary: 'Revoke a share link',
    run: ({ services, caller, ids }) =>
      services.rows.change(endShare, { team: caller.team, share: ids.share_id, now: services.clock() }),
    audit({ name, createdBy }, { caller }) {
      return ['share.revoked', name, caller.team, { ofOthers: createdBy !== (caller.user?.id ?? null) }];
    },
  },
});
