import type Joi from 'joi';
import type { Page, Slice } from '#core/page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import {
  type AnswerShape,
  listOf,
  type ObjectShape,
  responseShape,
  type Wire,
  wholeNumber,
} from './response-shape.ts';
import { queryInteger } from './values.ts';

const defaultLimit = 50;
const mostItems = 200;
/** Largest page number. With it, the first item's number is still a safe integer. */
const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / mostItems);

export const pageFields: Fields<Page> = {
  page: queryInteger(1, lastPage, 1).description('From 1.'),
  limit: queryInteger(1, mostItems, defaultLimit).description('Items per page.'),
};

export const pageQuery = requestShape<Page>('PageQuery', pageFields);

const pagination = responseShape('Pagination', {
  page: wholeNumber().min(1).example(1),
  limit: wholeNumber().min(1).max(mostItems).example(defaultLimit),
  per_page: wholeNumber().min(1).max(mostItems).example(defaultLimit).description('The same as limit.'),
  total: wholeNumber().example(1),
});

export type List<T> = { items: T[]; pagination: Wire<typeof pagination> };

export const listFields = <W>(item: Joi.AnySchema<W>) => ({ items: listOf(item), pagination });

/** Creates the shape of a page of `item`s that the request's query selects. */
export function listShape<T, W>(
  item: ObjectShape<T, W>,
  name = `${item.name}List`,
): AnswerShape<Slice<T>, List<W>> {
  return {
    schema: responseShape(name, listFields(item.schema)),
    present: (slice, { query }) => presentList(slice, query as Page, item),
  };
}

export function presentList<T, W>(
  { items, total }: Slice<T>,
  { page, limit }: Page,
  { present }: ObjectShape<T, W>,
): List<W> {
  return { items: items.map((item) => present(item)), pagination: { page, limit, per_page: limit, total } };
}
