import { isObject, JsonScanner, parseJson } from '#api/middleware/json-body.ts';
import { invalid } from '#core/errors.ts';

/** Value in a JSON body, with its path for error texts. A field that is null counts as missing. */
export class JsonValue {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path = '') {
    this.value = value ?? undefined;
    this.path = path;
  }

  get isMissing(): boolean {
    return this.value === undefined;
  }

  /** Returns an object's field, or a missing value if this value is not an object. */
  get(name: string): JsonValue {
    const { value } = this;
    const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    // An error text would repeat a long name.
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    return new JsonValue(found, this.path === '' ? shown : `${this.path}.${shown}`);
  }

  /** Returns a string, or null if the value is missing. Throws Invalid. */
  text(): string | null {
    if (this.isMissing) return null;
    if (typeof this.value !== 'string') return this.fail('must be a string');
    return this.value;
  }

  /** Returns a string, or a number as a string, or null if the value is missing. Throws Invalid. */
  textOrNumber(): string | null {
    return typeof this.value === 'number' ? String(this.value) : this.text();
  }

  /** Returns a non-empty string. Throws Invalid. */
  needText(): string {
    const text = this.text();
    return text === null || text === '' ? this.fail('is required') : text;
  }

  /** Returns true or false; false if the value is missing. Throws Invalid. */
  flag(): boolean {
    if (this.isMissing) return false;
    return typeof this.value === 'boolean' ? this.value : this.fail('must be true or false');
  }

  /** Returns a list's items, or an empty list if the value is missing. Throws Invalid. */
  list(): JsonValue[] {
    if (this.isMissing) return [];
    if (!Array.isArray(this.value)) return this.fail('must be an array');
    return this.value.map((item, index) => {
      return new JsonValue(item, this.path === '' ? String(index) : `${this.path}.${index}`);
    });
  }

  /** Returns a non-empty list's items. Throws Invalid. */
  needList(): JsonValue[] {
    const items = this.list();
    return items.length === 0 ? this.fail('must have at least one item') : items;
  }

  /** Returns a list's items, or a single value as a list. */
  listOrOne(): JsonValue[] {
    return this.isMissing || Array.isArray(this.value) ? this.list() : [this];
  }

  /** Returns this value. Throws Invalid if the value is a list with more items. */
  atMost(items: number): this {
    if (Array.isArray(this.value) && this.value.length > items) this.fail(`may have at most ${items} items`);
    return this;
  }

  /** Returns an object's fields, or an empty list if the value is missing. Throws Invalid. */
  entries(): [string, JsonValue][] {
    return Object.keys(this.fields()).map((name) => [name, this.get(name)]);
  }

  /** Returns an object unchanged, or an empty object if the value is missing. Throws Invalid. */
  fields(): Record<string, unknown> {
    if (this.isMissing) return {};
    return isObject(this.value) ? this.value : this.fail('must be an object');
  }

  /** Returns this value, or the other value if only that one is present. */
  or(other: JsonValue): JsonValue {
    return this.isMissing && !other.isMissing ? other : this;
  }

  /** Returns the value at a path of names separated by periods. */
  at(path: string): JsonValue {
    return path.split('.').reduce((value: JsonValue, name) => value.get(name), this);
  }

  /** Returns an object with this value's fields and, if a field is missing, the other value's field. Throws Invalid. */
  over(other: JsonValue): JsonValue {
    return new JsonValue({ ...other.fields(), ...this.fields() }, this.path);
  }

  /** Returns the value with paths relative to it, for an email with its own response. */
  asWhole(): JsonValue {
    return new JsonValue(this.value);
  }

  /** Throws an Invalid that names this value. */
  fail(message: string): never {
    throw invalid(this.path === '' ? 'body' : this.path, message);
  }
}

/** Error texts for JSON within a string. */
const jsonWords = { beyond: 'has too many levels or values', fault: 'is not JSON' };

/** Reads JSON within a string of the request, up to the limits of a whole body. Throws an Invalid that names `path`. */
export function jsonIn(text: string, path: string, words = jsonWords): JsonValue {
  const bytes = Buffer.from(text);
  const beyond = new JsonScanner('submissions.bodyValues').take(bytes);
  if (beyond !== null) throw invalid(path, words.beyond, beyond);
  try {
    return new JsonValue(parseJson(bytes), path);
  } catch {
    throw invalid(path, words.fault);
  }
}
