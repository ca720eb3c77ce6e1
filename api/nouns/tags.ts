import { get } from '#api/route.ts';
import { listShape, pageQuery } from '#api/shapes/page.ts';
import { answerOf, text, wholeNumber } from '#api/shapes/response-shape.ts';
import { limits } from '#core/limits.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import { joinTags, type TagCount } from '#core/messages/tag-counts.ts';
import { pageOf } from '#core/page.ts';

const tagShape = answerOf<TagCount>()('Tag', {
  name: text().example('smoke'),
  count: wholeNumber().min(1).example(12),
});

export const tagList = listShape(tagShape);

const { taggedMessages: newest, tagNames: most } = limits.answers;

export const tagRoutes = [
  get({
    path: '/api/tags',
    operationId: 'listTags',
    summary: "List your messages' tags with their message counts, most used first",
    permission: 'mail',
    description: `Counts the newest ${newest} messages that have tags. Tags that differ only in case count as one.`,
    query: pageQuery,
    success: { description: 'A page of tags', shape: tagList },
    async handle({ services, caller, query, signal }) {
      const { tags, searches, clock, retentionDays } = services;
      const visibility = visibilityAt(clock(), retentionDays);
      const found = await searches.search(caller.userId, {}, { signal }, ({ turn }) =>
        turn(() => tags.count(caller.team, { newest, most }, visibility)),
      );
      return pageOf(joinTags(found), query);
    },
  }),
];
