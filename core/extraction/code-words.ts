/** Words that announce a one-time code. */
const partWords =
  'code,codes,passcode,otp,pin,tan,kod,kodu,kodunuz,kode,koden,koodi,kood,kodas,koda,kods,cod,código,codigo,codice,codi,kód,kódja,clave,einmalpasswort,einmalkennwort,codul,κωδικός,код,кода,кодом,пароль,mã,kodi,kodea,numerokoodi,one-time,otc,verificatiecode,2fa,mfa'.split(
    ',',
  );
/** Ends of compound words that announce a code, such as `Sicherheitscode`. */
const endings = ['code', 'kode', 'koden', 'koodi', 'kod', 'kód', 'passwort', 'koodisi', 'kodunuz', 'пароль'];
/** Words of scripts that do not separate words, found anywhere in a run of letters. */
const anywhere =
  '验证码,驗證碼,校验码,动态码,确认码,認證碼,コード,認証番号,確認番号,暗証番号,パスコード,인증번호,인증 번호,인증코드,코드,رمز,كود,کد,कोड,รหัส,קוד,ოტპ'.split(
    ',',
  );

/** Neighbours that make an announcing word mean another kind of code. */
const otherCodeWords =
  'zip,postal,post,promo,promotional,promotion,promotions,discount,coupon,voucher,gift,referral,country,area,dial,dialling,source,error,status,exit,qr,bar,dress,swift,sort,tax,fiscal,fiscale,postale,promotionnel,rabatt,gutschein,descuento,sconto,building,civil,penal,zipcode,sku,product,color,colour,booking,tracking,morse,invite,vat'.split(
    ',',
  );
/** Words that make the number after them an order number, a phone number, an amount and so on. */
const numberWordList =
  'order,orders,invoice,ticket,case,reference,ref,account,customer,case,tracking,booking,member,membership,phone,tel,telephone,call,fax,mobile,bestellung,bestellnummer,rechnung,rechnungsnummer,kundennummer,commande,facture,pedido,factura,ordine,fattura,bestelling,заказ,заказа,счет,suite,room,flat,apt,box,street,ending,since,copyright,version,build,issue,pr,flight,train,vat,iban,paid,pay,total,amount,price,subtotal,balance,euro,euros,eur,usd,gbp,chf,dollars'.split(
    ',',
  );
const unitWords =
  'minutes,minute,min,mins,hours,hour,hrs,seconds,second,sec,days,day,weeks,months,years,minuten,stunden,sekunden,tage,heures,jours,minutos,horas,días,minuti,ore,giorni,uur,dagen,минут,часов,points,credits,items,users,people,customers,times,eur,usd,gbp,chf,euro,euros,dollars,mb,gb,kb,px,kg,km,characters,digits,percent'.split(
    ',',
  );
/** Words that may stand between an announcement and its code. */
const fillerWords =
  'is,are,as,your,the,a,this,below,following,here,for,to,of,ist,lautet,ihr,dein,est,votre,le,la,es,su,tu,el,è,il,tuo,seu,é,o,on,är,din,er,jest,to,twój,ваш,это,です,は,是,为,為,入力'.split(
    ',',
  );

const parts = new Set(partWords);
const stems = stemPattern([...partWords, ...endings, ...anywhere]);
const otherCodes = new Set(otherCodeWords);
const numberWords = new Set(numberWordList);
const units = new Set(unitWords);
const fillers = new Set(fillerWords);

/** Tests whether a word in lower case announces a code; `before` and `behind` are its neighbours. */
export function announcesCode(word: string, before: string, behind: string): boolean {
  if (otherCodes.has(before) || (otherCodes.has(behind) && !fillers.has(behind))) return false;
  if (parts.has(word)) return true;
  if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{M}'’-]+$/u.test(word)) {
    if (!endings.some((ending) => word.endsWith(ending)) || word.length > 40) return false;
    return (
      !otherCodeWords.some((other) => word.startsWith(other)) &&
      !['barcode', 'unicode', 'decode'].includes(word)
    );
  }
  return anywhere.some((part) => word.includes(part));
}

/** Tests whether a word makes the number after it something other than a code. */
export function namesNumber(word: string): boolean {
  return numberWords.has(word) || otherCodes.has(word);
}

/** Tests whether a word makes the number before it a quantity. */
export function isUnit(word: string): boolean {
  return units.has(word);
}

export function isFiller(word: string): boolean {
  return fillers.has(word);
}

/** Tests cheaply whether a text may announce a code; true wherever `announcesCode` is. */
export function mayAnnounceCode(text: string): boolean {
  return stems.test(text);
}

function stemPattern(words: string[]): RegExp {
  const shortest = words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
  return new RegExp([...new Set(shortest)].join('|'), 'iu');
}
