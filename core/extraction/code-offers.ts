/** Words of promotions, in lower case and as pieces of words. */
const promotion =
  /[0-9]\s?%|%\s?[0-9]|percent off|discount|coupon|voucher|promo|at checkout|free shipping|black friday|cyber monday|gift card|special offer|shop now|rabat|gutschein|an der kasse|im warenkorb|versandkostenfrei|aktionscode|réduction|remise|bon d.achat|en caisse|au moment du paiement|livraison (?:gratuite|offerte)|\bsoldes|descuento|cup[oó]n|al finalizar (?:la|tu) compra|envío gratis|rebajas|desconto|cupom|no checkout|ao finalizar|frete gr[aá]tis|sconto|buono|alla cassa|al checkout|spedizione gratuita|\bsaldi|korting|actiecode|afrekenen|gratis verzending|cadeaubon|zni[żz]k|kupon|wyprzeda|darmow|w koszyku|indirim|kampanya|ücretsiz kargo|скидк|купон|оформлении|распродаж|знижк|розпродаж|クーポン|割引|オフ|セール|ご購入時|お会計|优惠|優惠|折扣|促销|促銷|结账|結帳|立减|满减|包邮|免运|할인|쿠폰|결제 ?시|무료 ?배송|خصم|كوبون|قسيمة|عند الدفع|شحن مجاني|छूट|कूपन|डिस्काउंट|चेकआउट|i kassan|fri frakt|kampan|ved betaling|gratis fragt|slev[auyoě]|kup[oó]n|v košíku|doprava zdarma|έκπτωσ|εκπτωσ|κουπόνι|στο ταμείο|הנחה|קופון|בקופה|giảm giá|khuyến mãi|thanh toán|ส่วนลด|คูปอง|โปรโมชั่น|ชำระเงิน|diskon|saat checkout|gratis ongkir/;

/** Words of invitations to meetings, whose passcode is none of a sign-in. */
const meeting =
  /(?:meeting|webinar|conference|konferenz|besprechungs|meeting-)[- ]?id|id (?:de )?(?:la |da |della )?(?:r[eé]uni[oóã]|riunione)|dial[- ]in|join (?:zoom|the|teams|our)? ?meeting|one tap mobile|ミーティング ?id|会议(?:号| ?id)|회의 ?id/;

export function isPromotional(text: string): boolean {
  return promotion.test(text.toLowerCase());
}

export function isMeeting(text: string): boolean {
  return meeting.test(text.toLowerCase());
}
