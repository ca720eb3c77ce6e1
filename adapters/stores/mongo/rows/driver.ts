import type { ClientSession, Db, Document, Filter } from 'mongodb';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { CustomQueries } from '#adapters/stores/rows/custom-queries.ts';
import type { AnyOptions, Async, Step } from '#adapters/stores/rows/steps.ts';
import { type AnyTable, fieldOf, type Table } from '#adapters/stores/rows/table.ts';

/** Returns a function that runs the steps of work on rows, in a transaction if a session exists. */
export function rowDriver(
  db: Db,
  customQueries: Async<CustomQueries>,
  session?: ClientSession,
): (step: Step) => Promise<unknown> {
  const within = session === undefined ? {} : { session };
  const collection = ({ mongo }: AnyTable) => db.collection<Document>(mongo);
  const find = async (
    table: AnyTable,
    where: object,
    { order = [], limit = 0, offset = 0, ...options }: AnyOptions,
  ) => {
    const names: string[] = Array.isArray(order) ? order : order.mongo;
    const found = collection(table).find(matching(table, where), { ...within, ...hinted(options) });
    const sort = names.map((name): [string, 1 | -1] =>
      name.startsWith('-') ? [nameOf(table, name.slice(1)), -1] : [nameOf(table, name), 1],
    );
    const rows = await found.sort(sort).skip(offset).limit(limit).toArray();
    return rows.map((row) => toRow(table, row));
  };
  const count = (table: AnyTable, where: object, options: AnyOptions = {}) =>
    collection(table).countDocuments(matching(table, where), { ...within, ...hinted(options) });
  return async (step) => {
    switch (step.do) {
      case 'find':
        return find(step.table, step.where, step.options);
      case 'page': {
        const { table, where, options } = step;
        const [items, total] = await Promise.all([find(table, where, options), count(table, where, options)]);
        return { items, total };
      }
      case 'count':
        return count(step.table, step.where);
      case 'insert': {
        const { table, rows } = step;
        return collection(table).insertMany(
          rows.map((row) => toDocument(table, row)),
          within,
        );
      }
      case 'put': {
        const { _id, ...document } = toDocument(step.table, step.row);
        const once = Object.entries(document).filter(([name]) => step.keep.includes(name));
        const always = Object.entries(document).filter(([name]) => !step.keep.includes(name));
        const written = { $set: Object.fromEntries(always), $setOnInsert: Object.fromEntries(once) };
        return collection(step.table).updateOne({ _id }, written, { ...within, upsert: true });
      }
      case 'set': {
        const { matchedCount } = await collection(step.table).updateMany(
          matching(step.table, step.where),
          changed(step.table, step.values, step.added),
          within,
        );
        return matchedCount;
      }
      case 'remove':
        return collection(step.table).deleteMany(matching(step.table, step.where, true), within);
      default:
        return (customQueries[step.do] as (...args: unknown[]) => Promise<unknown>)(...step.args);
    }
  };
}

const hinted = ({ hint }: AnyOptions) => (hint?.mongo === undefined ? {} : { hint: hint.mongo });

function nameOf({ key }: AnyTable, field: string): string {
  return field === key ? '_id' : field;
}

/** Returns the `_id` of the row with these values, if they include all fields of a composite key. */
function joinedKey({ key }: AnyTable, values: Document): { _id: string } | null {
  if (!Array.isArray(key) || key.some((name) => values[name] === undefined)) return null;
  return { _id: key.map((name) => values[name]).join('/') };
}

/** Returns the filter for rows. Excludes soft-deleted rows unless `all` is set. */
function matching(table: AnyTable, where: object, all = false): Filter<Document> {
  const filter: Document = { ...joinedKey(table, where) };
  if (!all && table.deletion !== null) Object.assign(filter, notDeleted);
  for (const [field, wanted] of Object.entries(where))
    if (wanted !== undefined) filter[nameOf(table, field)] = condition(table, field, wanted);
  return filter;
}

function condition(table: AnyTable, field: string, wanted: unknown): unknown {
  if (wanted === null || typeof wanted !== 'object' || wanted instanceof Date) return wanted;
  if ('in' in wanted) return { $in: wanted.in };
  if ('notIn' in wanted) return { $nin: wanted.notIn };
  if ('above' in wanted) return { $gt: wanted.above };
  if ('upTo' in wanted) return { $lte: wanted.upTo };
  if ('from' in wanted && 'before' in wanted) return { $gte: wanted.from, $lt: wanted.before };
  if (!('not' in wanted)) throw new TypeError(`no condition for ${field}`);
  // Indexes serve an equality, or the type named in their own condition.
  if (wanted.not !== null) {
    const { words } = fieldOf(table, field);
    return words === undefined ? { $ne: wanted.not } : { $in: words.filter((one) => one !== wanted.not) };
  }
  return { $type: fieldOf(table, field).bson ?? 'string' };
}

function toDocument(table: AnyTable, row: object): Document {
  const document: Document = table.deletion === null ? {} : { ...notDeleted };
  Object.assign(document, joinedKey(table, row));
  for (const [name, value] of Object.entries(row)) {
    if (name === table.rest) Object.assign(document, value);
    else if (!isAbsent(table, name, value)) document[nameOf(table, name)] = value;
  }
  return document;
}

function isAbsent(table: AnyTable, name: string, value: unknown): boolean {
  const field = fieldOf(table, name);
  return 'absent' in field && field.absent === value;
}

export function rowFrom<Row, Shown>(table: Table<Row, Shown>, document: Document): Shown {
  return toRow(table, document) as Shown;
}

function toRow(table: AnyTable, document: Document): object {
  const row: Document = {};
  for (const [name, { absent }] of table.shown)
    if (name !== table.rest) row[name] = document[nameOf(table, name)] ?? absent ?? null;
  if (table.rest === null) return row;
  const others = Object.entries(document).filter(([name]) => name !== '_id' && !(name in row));
  return { ...row, [table.rest]: Object.fromEntries(others) };
}

function changed(table: AnyTable, values: object, added: Record<string, number>) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const $set: Document = {};
  const $unset: Document = {};
  for (const [name, value] of given) {
    if (isAbsent(table, name, value)) $unset[name] = '';
    else $set[name] = value;
  }
  const parts = { $set, $unset, $inc: added };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));
}
