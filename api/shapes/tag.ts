import type { TagCount } from '#core/messages/tag-counts.ts';
import { listShape } from './page.ts';
import { answerOf, text, wholeNumber } from './response-shape.ts';

const tagShape = answerOf<TagCount>()('Tag', {
  name: text().example('smoke'),
  count: wholeNumber().min(1).example(12),
});

export const tagList = listShape('TagList', tagShape);
