import type Joi from 'joi';
import type { Page, Slice } from '#core/page.ts';
import type { Fields } from './request-shape.ts';
import { listOf, responseShape, type Wire, wholeNumber } from './response-shape.ts';
import { queryInteger } from './values.ts';

const defaultLimit = 50;
const mostItems = 200;
/** Largest page number: it keeps the number of the first item a safe integer. */
const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / mostItems);

/** Query fields of all lists. */
export const pageFields: Fields<Page> = {
  page: { names: ['page'], schema: queryInteger(1, lastPage, 1).description('From 1.'), default: 1 },
  limit: {
    names: ['limit'],
    schema: queryInteger(1, mostItems, defaultLimit).description('Items a page.'),
    default: defaultLimit,
  },
};

const pagination = responseShape('Pagination', {
  page: wholeNumber().min(1).example(1),
  limit: wholeNumber().min(1).max(mostItems).example(defaultLimit),
  per_page: wholeNumber().min(1).max(mostItems).example(defaultLimit).description('The same as limit.'),
  total: wholeNumber().example(1),
});

/** Page of a list, as an answer. */
export type List<T> = { items: T[]; pagination: Wire<typeof pagination> };

/** Returns the fields of a page of `item`s. */
export const listFields = <T>(item: Joi.AnySchema<T>) => ({ items: listOf(item), pagination });

/** Makes the shape of a page of `item`s. */
export function listShape<T>(name: string, item: Joi.AnySchema<T>): Joi.ObjectSchema<List<T>> {
  return responseShape(name, listFields(item));
}

/** Presents a page in the form of all lists. */
export function presentList<T, P>(
  { items, total }: Slice<T>,
  { page, limit }: Page,
  present: (item: T) => P,
): List<P> {
  return { items: items.map(present), pagination: { page, limit, per_page: limit, total } };
}
