import Joi from 'joi';
import {
  type AuthMethod,
  authMethods,
  type Clause,
  operators,
  severities,
  type TextPart,
  type TextTest,
  textParts,
} from '#core/assertions/clause.ts';
import type { Side } from '#core/comparison/compare-mails.ts';
import { type AuthResult, authResults, type LinkKind, linkKinds } from '#core/messages/content.ts';
import { sideValue } from './comparison.ts';
import { word } from './response-shape.ts';
import { limitedText, textValue } from './values.ts';

/** Maximum characters of a string to compare with. A request body has fewer bytes than ten times this number. */
const mostCharacters = 10_000;

/** Maximum number of families and names of mail clients. Fewer than a hundred exist. */
const mostNames = 100;

const choice = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Regular expression. The thread that evaluates clauses parses it, because parsing may take long. */
const patternValue = () => limitedText(1, 'assertions.patternCharacters');

const operatorFields = () => ({
  equals: textValue(0, mostCharacters),
  contains: textValue(1, mostCharacters),
  matches: patternValue().example('^\\d{6}$'),
});

type Operators = { equals?: string; contains?: string; matches?: string };

const closed = (names: string[], kind: string) => ({
  'object.unknown': `{{#child}} is not a known ${kind}: use one of ${choice(names)}`,
});
const oneOperator = `must have only one of ${choice(operators)}`;

/** Object with these fields. Refuses any other field by name. */
const fieldsOf = (fields: Record<string, Joi.Schema>) =>
  Joi.object(fields).messages({ ...closed(Object.keys(fields), 'field'), 'object.oxor': oneOperator });

const textTest = () =>
  Joi.object(operatorFields())
    .xor(...operators)
    .messages({
      ...closed([...operators], 'operator'),
      'object.missing': `must have one of ${choice(operators)}`,
      'object.xor': oneOperator,
    })
    .example({ contains: 'Welcome' });

/** Fields of a clause object. The field that is present determines the clause. */
const clauseFields = {
  ...Object.fromEntries(textParts.map((part) => [part, textTest()])),
  link: fieldsOf({
    kind: word(...linkKinds),
    host: textValue(1, 300).description("The URL's host, with or without its port.").example('app.test'),
    ...operatorFields(),
  })
    .oxor(...operators)
    .description('At least one link must match all conditions. The operator compares the URL.'),
  attachment: fieldsOf({
    name: textValue(1, 255).description('File name. `*` matches any characters.').example('*.pdf'),
    content_type: textValue(1, 255).description('`*` matches any characters.').example('application/pdf'),
    contentType: textValue(1, 255).description('The same as content_type.'),
    sha256: Joi.string()
      .pattern(/^[0-9a-fA-F]{64}$/, 'hexadecimal')
      .messages({ 'string.pattern.name': 'must have 64 hexadecimal digits' }),
  }).description('At least one attachment must match all conditions.'),
  header: fieldsOf({ name: textValue(1, 255).required().example('X-Run'), ...operatorFields() })
    .oxor(...operators)
    .description('At least one field with this name must match. Without an operator, the field must exist.'),
  authentication: fieldsOf(Object.fromEntries(authMethods.map((method) => [method, word(...authResults)])))
    .min(1)
    .messages({ 'object.min': `must have one of ${choice(authMethods)}` })
    .example({ dmarc: 'pass' }),
  audit: fieldsOf({
    none: word(...severities)
      .required()
      .description('No finding may have this or a higher severity.'),
  }),
  clients: fieldsOf({
    at_least: percent().example(90).description("Minimum `score` of the message's checks."),
    atLeast: percent().description('The same as at_least.'),
    of: namesValue(['gmail', 'outlook.windows']),
    except: namesValue(['html-target']).description('Slugs of features to ignore.'),
    compared_with: sideValue().description('Email to compare with. Its features are also ignored.'),
    comparedWith: sideValue().description('The same as compared_with.'),
  })
    .or('at_least', 'atLeast', 'except', 'compared_with', 'comparedWith')
    .oxor('at_least', 'atLeast')
    .oxor('compared_with', 'comparedWith')
    .messages({
      'object.missing': 'must have at_least, except or compared_with',
      'object.oxor': 'must have only one of at_least and compared_with',
    })
    .description(
      "Mail clients must support all of the message's features. With `at_least`, the message's `score` must reach that number.",
    ),
};

/** List of names. Its length is checked before its items, which may number in the thousands. */
function namesValue(example: string[]) {
  const isName = (name: unknown) => typeof name === 'string' && name.length > 0 && name.length <= 100;
  return Joi.array()
    .custom((given: unknown[], helpers) => {
      if (given.length > 0 && given.length <= mostNames && given.every(isName)) return given;
      return helpers.message({ custom: `must have 1 to ${mostNames} names` });
    })
    .meta({ swagger: { items: { type: 'string' }, minItems: 1, maxItems: mostNames } })
    .example(example);
}

function percent() {
  return Joi.number().min(0).max(100).strict();
}

const names = Object.keys(clauseFields);

/** Clause as read. Exactly one of the fields is present. */
type Given = Partial<Record<TextPart, Operators>> & {
  link?: Operators & { kind?: LinkKind; host?: string };
  attachment?: { name?: string; content_type?: string; contentType?: string; sha256?: string };
  header?: Operators & { name: string };
  authentication?: Partial<Record<AuthMethod, AuthResult>>;
  audit?: { none: (typeof severities)[number] };
  clients?: {
    at_least?: number;
    atLeast?: number;
    of?: string[];
    except?: string[];
    compared_with?: Side;
    comparedWith?: Side;
  };
};

/** Schema of a clause, whose value is the core's clause. */
export const clauseValue = () =>
  Joi.object(clauseFields)
    .xor(...names)
    .messages({
      ...closed(names, 'clause'),
      'object.missing': `must have one of ${choice(names)}`,
      'object.xor': `must have only one of ${choice(names)}`,
    })
    .custom((given: Given) => clauseOf(given))
    .meta({ className: 'Clause', swagger: { minProperties: 1, maxProperties: 1 } });

function clauseOf({ link, attachment, header, authentication, audit, clients, ...texts }: Given): Clause {
  if (link) return { on: 'link', kind: link.kind ?? null, host: link.host ?? null, test: testOf(link) };
  if (attachment) {
    const { name = null, content_type: type, contentType = type ?? null, sha256 = null } = attachment;
    return { on: 'attachment', name, contentType, sha256 };
  }
  if (header) return { on: 'header', header: header.name, test: testOf(header) };
  if (authentication) {
    const results = authMethods.flatMap((method) => {
      const result = authentication[method];
      return result === undefined ? [] : [{ method, result }];
    });
    return { on: 'authentication', results };
  }
  if (audit) return { on: 'audit', worst: audit.none };
  if (clients) {
    const { at_least: percent = null, atLeast = percent, of = null, except = [] } = clients;
    const comparedWith = clients.compared_with ?? clients.comparedWith ?? null;
    return { on: 'clients', atLeast, of, except, comparedWith };
  }
  const [part] = textParts.filter((name) => texts[name] !== undefined);
  const test = part && testOf(texts[part] ?? {});
  if (!part || !test) throw new Error('the schema accepts an invalid clause');
  return { on: part, test };
}

function testOf(given: Operators): TextTest | null {
  const operator = operators.find((name) => given[name] !== undefined);
  return operator === undefined ? null : { operator, value: given[operator] ?? '' };
}
