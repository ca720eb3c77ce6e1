import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonNotRequested } from './check-links.ts';
import { actOfLink, looksLikeToken } from './link-acts.ts';

const acting = [
  '/delete-account?x=1|/orders/cancel/7|/approve/1|/vote/yes|/rsvp?going=1|/pay/now|/account/delete|/deleteAccount|/orders/7/cancel|/?do=reject',
  '/?action=bulk_delete|/api/v1/requests/7/approve|/cancelOrder/7|/?vote=yes|/logout|/revoke|/decline/9|/order_cancel|/%64elete/7|/?cancel=1',
  '/konto/löschen|/konto/l%C3%B6schen|/bestellung/stornieren|/kuendigen/7|/termin/absagen|/zahlen/7|/genehmigen/7|/compte/supprimer|/commande/annuler|/approuver/7',
  '/payer|/cuenta/eliminar|/pedido/cancelar|/aprobar/7|/votar|/pagar/7|/elimina/7|/annulla|/approva/7|/paga|/excluir/7|/aprovar/7|/verwijderen|/goedkeuren/7|/betalen',
  '/radera/7|/avboka|/godkann/7|/betala|/slet/7|/godkend/7|/poista|/hyvaksy|/maksa|/usun/7|/anuluj|/zatwierdz/7|/zaplac|/smazat|/zrusit/7|/удалить/7|/отменить|/оплатить|/udalit/7',
  '/sil/7|/iptal|/onayla/7|/削除/7|/予約キャンセル|/承認/7|/支払い|/删除|/取消/7|/批准|/付款|/삭제|/결제하기|/حذف|/xóa/7|/hapus|/ลบ/7',
];
const harmless = [
  '/orders/7|/products/payments-explained|/blog/how-to-cancel-a-subscription-plan|/payments/7|/deleted-items-faq/1|/approval-process|/voters-guide',
  '/shop/2026/spring|/help/removed|/about|/silver/7|/oder/7|/stempel|/paginas/7|/votre-compte|/selector|/',
];
for (const path of acting.flatMap((line) => line.split('|'))) {
  test(`the URL ${path} may act`, () => assert.notEqual(actOfLink(`https://a.test${path}`, ''), null));
}
for (const path of harmless.flatMap((line) => line.split('|'))) {
  test(`the URL ${path} does not act`, () => assert.equal(actOfLink(`https://a.test${path}`, ''), null));
}

const withToken = [
  '/o?token=1|/o?access_token=x|/o?sig=abc|/o?code=9|/o#access_token=x|/o?X-Amz-Signature=x|/o?oobCode=x',
  '/r/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N|/r/3f9a2c71d0bb44aa|/r/5f3c1a2b-9d8e-4f7a-8b6c-1d2e3f4a5b6c',
  '/r/x7Kp2QzR9mL4tW8v|/r/aB3_dEf-9_gH7k2LmN|/r/MTIzNDU2Nzg5MGFiY2RlZg==|/r?u=QmFzZTY0RW5jb2RlZFZhbHVl',
];
const withoutToken = [
  '/orders/7|/orders/20261126001234|/blog/how-to-write-tests-in-2026-and-beyond|/img/header-summer-sale-2026-v1.png|/p/iphone-15-pro-max-256gb',
  '/GettingStartedWithSandpost|/?page=2&sort=price_asc|/?q=verification|/?utm_source=newsletter_november_2026|/?token=|/de/produkte/wasserkocher',
  '/c/abc123|/release-v1.2.3-beta.4|/?monkey=1|/?postcode=10115|/2026/11/26/hello-world',
];
for (const path of withToken.flatMap((line) => line.split('|'))) {
  test(`the URL ${path} has a token`, () => assert.equal(looksLikeToken(`https://a.test${path}`), true));
}
for (const path of withoutToken.flatMap((line) => line.split('|'))) {
  test(`the URL ${path} has no token`, () => assert.equal(looksLikeToken(`https://a.test${path}`), false));
}

const reasons: [url: string, text: string, why: RegExp | null][] = [
  ['https://a.test/orders/7', 'View order', null],
  ['https://a.test/a/7', 'Cancel order', /“cancel”/],
  ['https://a.test/a/7', 'Bestellung stornieren', /“stornieren”/],
  ['https://a.test/a/7', 'Confirm order', /“confirm”/],
  ['https://a.test/a/7', 'How to pay', null],
  ['https://a.test/a/7', '予約をキャンセルする', /“キャンセル”/],
  ['https://a.test/verify', '', /verifies or confirms/],
  ['https://a.test/o?key=x', '', /token/],
  ['mailto:x@a.test', '', /not a web link/],
];
for (const [url, text, why] of reasons) {
  test(`${url} with the text "${text}" is ${why ? 'not ' : ''}requested`, () => {
    const reason = reasonNotRequested(url, { kind: 'other', text });
    if (why === null) assert.equal(reason, null);
    else assert.match(reason ?? '', why);
  });
}
