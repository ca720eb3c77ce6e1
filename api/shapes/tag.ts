import type { TagCount } from '#core/messages/tag-counts.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, text, wholeNumber } from './response-shape.ts';

export const tagQuery = requestShape<Page>('TagQuery', pageFields);

const tagShape = answerOf<TagCount>()('Tag', {
  name: text().example('smoke'),
  count: wholeNumber().min(1).example(12),
});

export const tagList = listShape('TagList', tagShape);
