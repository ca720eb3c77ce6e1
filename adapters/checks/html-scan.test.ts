import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientTable } from './client-table.ts';
import { FeatureNames } from './feature-names.ts';
import { scanHtml } from './html-scan.ts';

const table = createClientTable();
const names = new FeatureNames(table.features.values());

/** HTML and the features that it uses, with their number of uses and first line unless both are 1. */
const cases: [html: string, ...uses: string[]][] = [
  ['plain text'],
  ['<!DOCTYPE html>\n<!-- note -->', 'html-doctype', 'html-comments @2'],
  ['<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "x">'],
  ['<table\n align=left><TABLE>', 'html-table ×2', 'html-align @2'],
  ['<h1></h1><h6></h6><ul></ul><main></main>', 'html-h1-h6 ×2', 'html-lists', 'html-semantics'],
  ['<input><input type=Radio><button>', 'html-input-text', 'html-input-radio', 'html-button-submit'],
  ['<a href="#x"><a href="MAILTO:a@b.test">', 'html-anchor-links', 'html-mailto-links'],
  ['<meta name="color-scheme" content="light dark">', 'html-meta-color-scheme'],
  ['<html ⚡4email>', 'amp'],
  ['<img src="https://a.test/x.JPEG?w=1" srcset="y">', 'html-img', 'html-srcset', 'image-jpg'],
  ['<img src="data:image/png;base64,AA">', 'html-img', 'image-png', 'image-base64'],
  ['<td background="x.svg">', 'html-background', 'image-svg'],
  [
    '<p style="Display:FLEX;gap:1em; width: calc(1px + 2%)!important">',
    'html-p',
    'css-display',
    'css-display-flex',
    'css-gap',
    'css-unit-em',
    'css-width',
    'css-unit-calc',
    'css-unit-px',
    'css-unit-percent',
    'css-important',
  ],
  ['<p style="border-top-color:rgb(1,2,3);--x:1">', 'html-p', 'css-border', 'css-rgb', 'css-variables'],
  ['<p style="font-family:x;color:red;a">', 'html-p'],
  ['<p style="src:format(a;float:left);clear:both">', 'html-p', 'css-clear'],
  ['<p style="float:left" style="clear:both">', 'html-p', 'css-float'],
  ['<p style="background:url(a;b.gif);margin:0">', 'html-p', 'css-background', 'image-gif', 'css-margin'],
  ['<style>/* a:b */</style>', 'html-style', 'css-comments'],
  [
    '<style>\n.a.b > c,\n#d e + [f]:hover::before ~ *{}</style>',
    'html-style',
    'css-selector-class ×2 @2',
    'css-selector-chaining @2',
    'css-selector-child @2',
    'css-selector-type ×2 @2',
    'css-selector-grouping @2',
    'css-selector-id @2',
    'css-selector-descendant @2',
    'css-selector-adjacent-sibling @2',
    'css-selector-attribute @2',
    'css-pseudo-class-hover @2',
    'css-pseudo-element-before @2',
    'css-selector-general-sibling @2',
    'css-selector-universal @2',
  ],
  [
    '<style>a:not(.b .c){}a{&:has(d){float:left}}</style>',
    'html-style',
    'css-selector-type ×2',
    'css-pseudo-class-not',
    'css-nesting',
    'css-pseudo-class-has',
    'css-float',
  ],
  [
    '<style>@import "x";@media (min-width:1px) and (any-hover){\n@supports (a:b){i{clear:both}}}\n@font-face{src:url(x.woff)}</style>',
    'html-style',
    'css-at-import',
    'css-at-media',
    'css-at-media-hover',
    'css-at-supports @2',
    'css-selector-type @2',
    'css-clear @2',
    'css-at-font-face @3',
  ],
  ['<style>@keyframes a{from{opacity:0}50%{opacity:1}}', 'html-style', 'css-at-keyframes', 'css-opacity ×2'],
  ['<style>}}};{a{float:left', 'html-style', 'css-nesting', 'css-selector-type', 'css-float'],
  ['<style></style><style>a{clear:both}</style>', 'html-style ×2', 'css-selector-type', 'css-clear'],
  ['<!--[if mso]><style>a{float:left}</style><![endif]-->', 'html-comments'],
];

test('features are found with the number of their uses and their first line', () => {
  for (const [html, ...expected] of cases) {
    const found = scanHtml(html, names).uses.map(
      ({ slug, count, line }) => `${slug}${count === 1 ? '' : ` ×${count}`}${line === 1 ? '' : ` @${line}`}`,
    );
    assert.deepEqual(found.sort(), expected.sort(), html);
  }
});

/** Features that the scan names by slug: the first by part of a selector or condition, the others where they occur. */
const bySlug = [
  ...'at-media-device-pixel-ratio at-media-hover at-media-orientation at-media-prefers-color-scheme at-media-prefers-reduced-motion comments nesting selector-adjacent-sibling selector-attribute selector-chaining selector-child selector-class selector-descendant selector-general-sibling selector-grouping selector-id selector-type selector-universal'
    .split(' ')
    .map((name) => `css-${name}`),
  ...'anchor-links comments doctype mailto-links meta-color-scheme'.split(' ').map((name) => `html-${name}`),
];

test('each feature has a name, but for a logo that DNS tells of', () => {
  const slugs = [...table.features.keys()].filter((slug) => names.find(slug).includes(slug));
  assert.deepEqual(slugs.filter((slug) => !slug.startsWith('image-')).sort(), [...bySlug, 'bimi'].sort());
});

const factCases: [html: string, facts: Partial<Record<string, unknown>>][] = [
  ['<html lang=""><html lang="en">', { hasLang: true }],
  ['<html lang="">', { hasLang: false }],
  ['<img alt="" width=2 height=2>', { noAlt: 0, noSize: 0, pixel: 0 }],
  ['\n<img><img style="width:2px;height:2px">', { noAlt: 2, noSize: 1 }],
  ['<img width=1 height="1px" src="data:x">', { pixel: 1, noAlt: 0, dataImage: 0 }],
  ['<img alt width=2 height=2 src=" data:x">', { dataImage: 1 }],
  ['<p style="color:#fff">a</p>', { lowContrast: 1, colours: 'rgb(255,255,255) on rgb(255,255,255)' }],
  ['<p style="color:#fff"> &nbsp;\n</p>', { lowContrast: 0 }],
  ['<td bgcolor=black><p style="color:#fff">a</p>', { lowContrast: 0 }],
  ['<td bgcolor=black>a<b>b</b></td>c', { lowContrast: 2 }],
  ['<td bgcolor=black background=x.png>a', { lowContrast: 0 }],
  ['<td style="background:url(x) #000">a', { lowContrast: 0 }],
  ['<p style="background:#000"><a href=x>a</a></p>', { lowContrast: 0 }],
  ['<p style="background:#000 !important">a', { lowContrast: 1 }],
  ['<p style="background:#000! /* x */ IMPORTANT ">a', { lowContrast: 1 }],
  ['<p style="background:#000 important">a', { lowContrast: 0 }],
  ['<style>.b{background:#06c}</style><a class="b" style="color:#fff">a', { lowContrast: 0 }],
  ['<style>p {\nCOLOR :#000}</style><p style="background:#000">a', { lowContrast: 0 }],
  [
    '<style>p{color:red}</style><b style="color:#fff;background:#fff"><i>a</i><p id="b">b',
    { lowContrast: 1 },
  ],
  ['<style>p{color-scheme:dark}</style><p class="b" style="color:#fff">a', { lowContrast: 1 }],
  ['<p class="b" style="color:#fff">a', { lowContrast: 1 }],
  ['<p style="font-size:0!important">a</p>b', { preheader: 'a' }],
  ['<b><p style="background:#000">a</i>b</p>c</b>', { lowContrast: 2 }],
  ['<p style="background:#000">a<br>b<img/>c', { lowContrast: 3 }],
  [
    '<div style="display:none;color:#fff">Pre <b>header</b></div>Text',
    { preheader: 'Pre header', lowContrast: 0 },
  ],
  ['Text<div style="display:none">later</div>', { preheader: '' }],
  ['<title>Not text</title><div hidden>Pre</div>Text', { preheader: 'Pre' }],
  ['<p style="font-size:0px">a</p><p style="opacity:0.5;max-height:10px">b', { preheader: 'a' }],
];

test('facts of the HTML are read', () => {
  for (const [html, expected] of factCases) {
    const { places, leastContrast, ...facts } = scanHtml(html, names);
    const counts = Object.entries(places).map(([kind, { count }]) => [kind, count]);
    const all: Record<string, unknown> = {
      ...facts,
      ...Object.fromEntries(counts),
      colours: leastContrast?.colours,
    };
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(all[name], value, `${name} of ${html}`);
  }
});

test('a million characters of any HTML take linear time', () => {
  const many = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  for (const property of ['color', 'background', 'max-height', 'font-size', 'opacity', 'display'])
    for (const filling of [' ', '! ', '!important ', ' /**/', 'a '])
      scanHtml(`<div style="${property}: a${many(filling)}b">x</div>`, names);
  for (const filling of [' ', '! ', '0']) {
    scanHtml(`<font color="a${many(filling)}b" bgcolor="a${many(filling)}b">x</font>`, names);
    scanHtml(`<img width="${many(filling)}b" src="${many(filling)}" alt="">`, names);
  }
});
