import type { Feature } from '#core/checks/client-support.ts';

/**
 * Names under which features are found: `<div>` is an element, `[align]` an attribute, `color:` a property, `display:flex` a property
 * with a value, `calc()` a function, `1em` a unit, `@media` a rule, `:hover` a pseudo-class or pseudo-element, `initial` a word in a
 * value. These are the names of features whose titles do not reveal them. All other features are found under their slugs.
 */
const special: Record<string, string> = {
  amp: '[amp4email] [⚡4email]',
  'css-at-keyframes': '@keyframes @-webkit-keyframes',
  'css-block-inline-size': 'block-size: inline-size:',
  'css-border-inline-block-individual':
    'border-block-end: border-block-start: border-inline-end: border-inline-start:',
  'css-border-inline-block-longhand':
    'border-block-color: border-block-style: border-block-width: border-inline-color: border-inline-style: border-inline-width:',
  'css-border-inline-block': 'border-inline: border-block:',
  'css-border-radius-logical':
    'border-end-end-radius: border-end-start-radius: border-start-end-radius: border-start-start-radius:',
  'css-border-radius':
    'border-radius: border-top-left-radius: border-top-right-radius: border-bottom-left-radius: border-bottom-right-radius:',
  'css-color-scheme': 'color-scheme:',
  'css-column-layout-properties':
    'column-count: column-fill: column-rule: column-rule-color: column-rule-style: column-rule-width: column-span: column-width: columns:',
  'css-flex-direction': 'flex-direction:column',
  'css-flex-wrap': 'flex-wrap:wrap',
  'css-function-clamp': 'clamp()',
  'css-gap': 'gap: column-gap: row-gap:',
  'css-grid-template': 'grid-template: grid-template-areas: grid-template-columns: grid-template-rows:',
  'css-important': '!important',
  'css-inert-attribute': '[inert]',
  'css-intrinsic-size': 'fit-content min-content max-content',
  'css-left-right-top-bottom': 'left: right: top: bottom:',
  'css-margin-block-start-end': 'margin-block-start: margin-block-end:',
  'css-margin-inline-block': 'margin-inline: margin-block:',
  'css-margin-inline-start-end': 'margin-inline-start: margin-inline-end:',
  'css-modern-color': 'lch() oklch() lab() oklab()',
  'css-padding-block-start-end': 'padding-block-start: padding-block-end:',
  'css-padding-inline-block': 'padding-inline: padding-block:',
  'css-padding-inline-start-end': 'padding-inline-start: padding-inline-end:',
  'css-pseudo-class-lang': ':lang',
  'css-sytem-ui': 'system-ui ui-serif ui-sans-serif ui-rounded ui-monospace',
  'css-unit-calc': 'calc()',
  'css-unit-initial': 'initial',
  'css-unit-percent': '1%',
  'css-variables': 'var()',
  'html-address': '<address>',
  'html-h1-h6': '<h1> <h2> <h3> <h4> <h5> <h6>',
  'html-image-maps': '<map>',
  'html-lists': '<ul> <ol> <dl>',
  'html-semantics':
    '<article> <aside> <details> <figcaption> <figure> <footer> <header> <main> <mark> <nav> <section> <summary> <time>',
  'html-srcset': '[srcset] [sizes]',
};

/** Properties whose longhands, such as `border-top-color`, have no separate feature. */
const shorthands = [
  'animation',
  'border',
  'margin',
  'outline',
  'overflow',
  'padding',
  'scroll-snap',
  'transition',
];

/** Returns a feature's names from its title, such as `text-align`, `<hr> element` or `@media (orientation)`. */
function namesOf({ slug, title }: Pick<Feature, 'slug' | 'title'>): string[] {
  const known = special[slug];
  if (known !== undefined) return known.split(' ');
  const input = /^<(input|button) type="(\w+)">/.exec(title);
  if (input !== null) return [`<${input[1]} type=${input[2]}>`];
  const element = /<(\w+)>/.exec(title)?.[1];
  if (element !== undefined) return [`<${element}>`];
  const attribute = /^(\S+) attribute$/.exec(title)?.[1];
  if (attribute !== undefined) return [`[${attribute}]`];
  if (!slug.startsWith('css-')) return [slug];
  const unit = /^(\w+) unit$/.exec(title)?.[1];
  if (unit !== undefined) return [`1${unit}`];
  const pseudo = /^::?([a-z-]+)(?:\(\))?$/.exec(title)?.[1];
  if (pseudo !== undefined) return [`:${pseudo}`];
  if (/^(@[a-z-]+|[a-z-]+\(\)|[a-z-]+:[a-z-]+)$/.test(title)) return [title];
  const property = /^([a-z-]+)(?: shorthand| property)?$/.exec(title)?.[1];
  return property === undefined ? [slug] : [`${property}:`];
}

export class FeatureNames {
  readonly #slugs = new Map<string, string[]>();

  constructor(features: Iterable<Pick<Feature, 'slug' | 'title'>>) {
    for (const feature of features) {
      for (const name of namesOf(feature)) {
        this.#slugs.set(name, [...(this.#slugs.get(name) ?? []), feature.slug]);
      }
    }
  }

  find(name: string): string[] {
    return this.#slugs.get(name) ?? [];
  }

  findProperty(name: string): string[] {
    const found = this.#slugs.get(`${name}:`);
    if (found !== undefined) return found;
    const short = shorthands.find((shorthand) => name.startsWith(`${shorthand}-`));
    return short === undefined ? [] : this.find(`${short}:`);
  }
}
