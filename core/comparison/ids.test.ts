import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskIds } from './ids.ts';

const masked = (text: string) => maskIds(text, () => '[id]');

const cases: [text: string, masked: string][] = [
  ['cid:176415123456.1234.1234567890123456789@8f3b2c1d9e0f', 'cid:[id]'],
  ['cid:image001.png@01DC5E3A.7B2F8C10', 'cid:image001.png@[id]'],
  ['cid:ii_lq3k5x0f0', 'cid:[id]'],
  ['cid:6f9619ff-8b86-d011-b42d-00cf4fc964ff', 'cid:[id]'],
  ['cid:5f3e8f14e45fceea@symfony', 'cid:[id]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.abc-_1', '[id]'],
  ['?t=eyJhbGciOiJub25lIn0.eyJpZCI6MX0.', '?t=[id].'],
  ['/reset/MTIz/cdz1xq-8f14e45fceea167a5a36dedd4bea2543/', '/reset/[id]/[id]/'],
  ['/reset/MQ/set-password/', '/reset/[id]/set-password/'],
  ['?uid=MTIz&token=cdz1xq-8f14e45fceea167a5a36dedd4bea2543', '?uid=[id]&token=[id]'],
  ['/key/1-cdzaxq-8f14e45fceea167a5a36dedd4bea2543/', '/key/[id]/'],
  ['email-template-5d41402abc4b2a76b9719d911017c592-v2', 'email-template-[id]-v2'],
  ['invoice-8f14e45fceea167a.pdf', 'invoice-[id].pdf'],
  ['{6F9619FF-8B86-D011-B42D-00CF4FC964FF}', '{[id]}'],
  ['order-6f9619ff-8b86-d011-b42d-00cf4fc964ff', 'order-[id]'],
  ['pi_3MtwBwLkdIwHu7ix28a3tqPa', 'pi_[id]'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '[id]'],
  ['01arz3ndektsv4rrffq69g5fav', '[id]'],
  ['cjld2cjxh0000qzrmn831i7rn', '[id]'],
  ['507f1f77bcf86cd799439011', '[id]'],
  ['V1StGXR8_Z5jdHi6B-myT', '[id]'],
  ['Message-ID: <a@b.test>', 'Message-ID: [id]'],
  ['signup-3f9a2c71d0@app.test', '[id]@app.test'],
  ['eyJ1c2VyIjoxfQ:1tXyZa:Abc_def-123', '[id]'],
  ['9m4e2mr0ui3e8a215n4g', '[id]'],
  ['https://app.test/o/8f14e45fceea167a5a36dedd4bea2543.gif', 'https://app.test/o/[id].gif'],
  ['https://app.test/verify/q8Zt0LxW3v9Kd72mBcPa', 'https://app.test/verify/[id]'],
  ['To: signup-3f9a2c71d0@app.test, qa@app.test', 'To: [id]@app.test, qa@app.test'],
  ['https://app.test/?e=a-aaaaaaaaaa%40app.test', 'https://app.test/?e=[id]%40app.test'],
  ['_HETv8rTp_ZGhTNv3ZNnMyNfF21_AzWby-uoDGNwN4Q', '[id]'],
  ['-NXk2a_uPTBp7AME9bbq', '[id]'],
  ['X-Id: 9GrT2k/3S+Gqp9C0r9oQ7M7lRL3Cw4CQunPxwFg=', 'X-Id: [id]'],
  ['<img src="cid:ii_lq3k5x0f0" alt="logo">', '<img src="cid:[id]" alt="logo">'],
];
for (const [text, expected] of cases) {
  test(`ids of: ${text}`, () => assert.equal(masked(text), expected));
}

/** Readable words, and numbers that an email is about. */
const others = [
  'header-summer-sale-2026-v1.png',
  '/blog/how-to-write-tests-in-2026-and-beyond',
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'MT84MALT011000012345MTLCAST001S',
  'FR1420041010050500013M02606',
  'NL91ABNA0417164300',
  'BE68539007547034',
  'DE89 3704 0044 0532 0130 00',
  '12345678901234567890',
  'K-2026-00012345',
  'CUST-0012345678',
  'C000000000012345',
  'email-container-2-columns-wide',
  'mcnTextContentContainer',
  'iPhone15ProMax',
  'internationalisation',
  '1920x1080',
  'w600h300q80',
  'VeryLongCamelCaseIdentifierName',
  'WH-1000XM4',
  '1HGCM82633A004352',
  'hero-banner-3f9a2c71d0.png',
  'logo.8f14e45fceea167a.png',
  'BLACKFRIDAY2026',
  'SUMMER-SALE-2026-EXTRA-50-PERCENT',
  'https://app.test/docs/getting-started/v2/api-reference-2026',
  "font-family:'Helvetica Neue'",
  '-webkit-text-size-adjust',
  'mso-table-lspace',
  'cid:logo@app.test',
  'cid:logo.png',
  'cid:header-image',
  'Ein_ganz_langes_deutsches_Wort_mit_Unterstrichen',
  '#ff0000',
  'utf8mb4_general_ci',
  'base64encoded',
  'ABC-123-DEF-456',
  '2026-11-26',
  'invoice-2026-0042.pdf',
  'INV-2026-000042',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'DonaudampfschifffahrtsgesellschaftHauptversammlung2026',
  '3D-Secure',
  'covid19test',
  '4eCommerceShop24h',
  'MacBookPro16M3Max2026Edition',
  'windows11-23h2-update-kb5031455',
  'B08N5WRWNW',
  'order 1234567890123456',
  'MTA',
  'es-p20t-m20b-es-m-p10r',
  'u-row-container-1',
  'class="email-container-2-columns-wide"',
];

test('readable words, image names, and numbers of accounts and customers are no ids', () => {
  const unexpected = others.filter((text) => masked(text) !== text).map((text) => `${text}: ${masked(text)}`);
  assert.deepEqual(unexpected, []);
});

test('ids are masked in linear time', () => {
  const texts = [
    'a-',
    'a',
    'eyJ',
    'eyJa.',
    '-0123456789',
    'cid:',
    'data:a/',
    '/a',
    '=a&',
    'a.png',
    'a.',
    'aA1-',
    'message-id: ',
    '%3D',
    '=',
    'a0+',
  ];
  for (const text of texts) masked(text.repeat(100_000 / text.length));
});
