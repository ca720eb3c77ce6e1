/** Meanings of words near a one-time code, as bits. A word may have several meanings. */
export const kind = {
  /** Announces a code: `code`, `PIN`. */
  code: 1,
  /** Announces a code if a word of kind `secure` is nearby: `one-time password`, `security key`, `verification number`. */
  secret: 2,
  /** Describes what the code is for: `verification`, `login`, `one-time`. */
  secure: 4,
  /** Announces a one-time code even if no word of kind `secure` is nearby: `OTP`, `TAN`, `认证码`. */
  oneTime: 8,
  /** Turns the announcement into that of another kind of code: `zip`, `discount`. */
  other: 16,
  /** Names the number that follows it: `order`, `card`. */
  named: 32,
  /** May stand between a name and its number: `number`, `no`. */
  numeral: 64,
  /** Turns the number before it into a quantity. */
  unit: 128,
  /** Links an announcement to its code: `is`, `lautet`. */
  link: 256,
  /** May stand between an announcement and its code: `your`, `below`. */
  filler: 512,
  /** Asks the reader to type a code: `use`, `enter`. */
  use: 1024,
  /** Says why the reader should type the code: `to sign in`. */
  action: 2048,
  /** Joins two nouns: `code de réduction`. */
  joiner: 4096,
  /** Names a thing that has a code: `door`, `subscriber`. */
  thing: 8192,
  /** Compound word for a code whose first part is unknown: `Vorgangscode`. */
  compound: 16384,
};

/** Words in scripts that separate words, folded by `foldWord`, one language per line. */
export const separated: [meaning: number, words: string][] = [
  [
    kind.code,
    `code codes kode kodes koden koder kodet kod kodu kodem kody kodow kodunuz kodunuzu kodum kodun kodunuzdur kodudur kodlari cod codul codes
    codigo codigos codice codici codi clave claves sifre sifreniz sifrenizdir sifresi sifrenizi kodi koodi koodisi kood kodas koda kods kodea kodja kodod kodot
    chod kodi kodin κωδικος κωδικο κωδικου κωδικοι κωδικους код кôд коды кода коду кодом коде кодов коди кодів кодові
    קוד קודים رمز رموز كود اكواد کد کوڈ कोड कूट কোড ਕੋਡ કોડ կոդ კოდი msimbo 
    passphrase passcode passcodes pin pins mpin tpin upin tac`,
  ],
  [
    kind.code + kind.oneTime,
    `otp otps otc otac eotp tan tans 2fa mfa totp mtan smstan pushtan phototan einmalpasswort einmalkennwort einmalcode engangspassord engangspassordet
    mobiletan apptan chiptan qrtan itan wachtwoordcode verificatiecode toegangscode otpkode ওটিপি ओटीपी ఓటీపీ ಒಟಿಪಿ ஓடிபி पासकोड ოტპ пин otpकोड пінкод пинкод
    stadfestingarkodi stadfestingarkoda oryggiskodi oryggiskoda adgangskodi adgangskoda innskraningarkodi innskraningarkoda
    kontrolkodo kontrolkodon konfirmkodo konfirmkodon einmalpin onetimepassword onetimepasscode onetimecode numerokoodi ססמה`,
  ],
  [
    kind.secret,
    `password passwords passwort kennwort losungswort motdepasse passe contrasena contrasenya senha wachtwoord haslo parola parolaniz parolanizdir parolasi
    пароль пароля пароле losenord losen adgangskode adgangskoden kodeord passord heslo hesla κωδικου συνθηματικο סיסמה סיסמא סיסמתך पासवर्ड sandi 
    key keys schlussel cle clef chiave llave chave sleutel klucz anahtar ключ nyckel nogle klic κλειδι מפתח مفتاح कुंजी  kunci token jeton
    السر المرور مرور gizli salasana jelszo ma`,
  ],
  [
    kind.secure,
    `login log-in logon signin sign-in sign log logging signing auth otp 2fa mfa two-factor two-step 2-step onetime one-time once single-use single disposable
    temporary dynamic access identity activation device enrollment registration recovery backup step factor reset
    einmal einmalig einmaliges einmaligen login zugang zugangs freigabe freischalt usage unique temporaire acces connexion identification
    unico unica uso temporal acceso ingreso conexion registro acesso entrada temporaria monouso temporanea accesso attivazione eenmalig eenmalige toegang
    jednorazowe jednorazowy jednorazowego dostepu logowania resetowania resetu aktywacji tek kullanimlik seferlik giris guvenlik onay gecici aktivasyon
    одноразовый одноразового одноразовым временный входа вход доступа доступу разовый одноразовий одноразового тимчасовий входу вхід
    engangs engangslosen tillfallig tillfalliga tillfalligt midlertidige midlertidigt vydej vydeje odber odberu ერთჯერადი ერთჯერადო inlogg aktivering engang midlertidig adgang jednorazove jednorazovy prihlaseni pristupovy pristupu docasne
    χρησης μιας προσωρινος προσωρινο συνδεσης εισοδου προσβασης חד פעמי פעמית זמנית זמני כניסה התחברות אימות אבטחה הפעלה
    التحقق تحقق التاكيد تاكيد التفعيل تفعيل الامان امان الدخول دخول واحدة المصادقة الامني لمرة مؤقتة مؤقت
    सत्यापन पुष्टि सुरक्षा लॉगिन लॉग वन टाइम प्रमाणीकरण एकबारगी            verifikasi keamanan masuk sekali pakai aktivasi autentikasi konfirmasi otentikasi`,
  ],
  [
    kind.other,
    `zip postal post promo promotional promotion promotions discount discounts coupon coupons voucher vouchers gift giftcard referral country area dial dialling source error
    status exit return response reason qr bar dress swift bic sort ifsc tax fiscal building civil penal zipcode sku product color colour colours booking tracking morse
    invite vat conduct currency language airport station course class cost bank branch department item batch model style agent unit version http license licence
    loyalty offer campaign partner affiliate savings sale creator review reviews coverage base repository injection block snippet sample samples editor penalty practice cpt ral bsb gl pantone hex ndc eccn sic lei isin redemption redeem survey
    diagnostic rep order invoice customer client ticket member membership carrier courier pasto пощенски поштенски поштански پستی پستي hs hsn icd naics po ean upc gtin isbn origin ncm tariff customs purchase cliente clienti client musteri klienta клиента клієнта kund kunde zakaznika pelanggan πελατη לקוח العميل ग्राहक
    promotionnel reduction remise avantage barres parrainage cadeau postaux route produit article pays erreur commande barre achat fidelite
    rabatt gutschein aktions plz fehler
    descuento cupon promocional barras pais producto referido seguimiento regalo pedido conducta fuente
    desconto cupom rastreio rastreamento indicacao produto presente fonte
    sconto promozionale fiscale postale sorgente errore prodotto ordine prenotazione buono amico
    kortings actie cadeau
    furtki bramy domofonu drzwi pocztowy pocztowego rabatowy rabatowego promocyjny promocyjnego kreskowy kreskowego bledu produktu kraju kuponu kupon kuponowy polecajacy
    posta indirim promosyon hediye hata urun takip ulke kargo siparis davet kampanya
    промо промокод купона купон скидки скидку товара ошибки страны заказа знижки знижку помилки країни замовлення подарочный подарунковий трек штрих qr
    rabat kampanj kampagne stregkode presentkort gavekort
    slevovy slevoveho darkovy zbozi chyby caroveho carovy kuponovy zeme
    εκπτωσης εκπτωτικος εκπτωτικο προιοντος κουπονιου σφαλματος παραγγελιας ταχυδρομικος προσφορας δωρου
    קופון הנחה מוצר שגיאה הטבה מדינה
    الخصم خصم القسيمة قسيمة البريدي المنتج الخطا كوبون الكوبون ترويجي الترويجي الدولة
    कूपन छूट प्रोमो डिस्काउंट ऑफर त्रुटि उत्पाद पिन পিন পোস্টাল কুপন প্রোমো ডিসকাউন্ট অফার పిన్ కూపన్ ప్రోమో డిస్కౌంట్ ಪಿನ್ ಕೂಪನ್ ಪ್ರೋಮೋ ರಿಯಾಯಿತಿ പിൻ കൂപ്പൺ പ്രൊമോ ഡിസ്കൗണ്ട് அஞ்சல் கூப்பன் தள்ளுபடி પિન કૂપન પ્રોમો ਪਿੰਨ ਕੂਪਨ
             
    rastreo interbancaria catastral boleto sdi iuv avviso подразделения
    pos diskon pesanan resi produk referral undangan kesalahan negara`,
  ],
  [
    kind.named,
    `application applications antrag antrags solicitud solicitação solicitacao demande richiesta domanda aanvraag wniosek wniosku заявление заявления заявке заявка заявки заявку order orders invoice invoices ticket tickets case cases reference ref account accounts acct ac customer client tracking shipment parcel package booking reservation member membership phone
    tel telephone call fax mobile device serial model contract policy transaction txn payment card cards ending ends suite room flat apt apartment box street since copyright version
    build issue pr flight train vat iban paid pay total amount price subtotal balance sum extension ext page port conference meeting gate seat bus po rfc student employee patient
    request incident bug job commit lot batch sku item product last license licence visa mastercard amex meter po-box terminal user username userid
    eur usd gbp chf inr rs pln sek dkk nok czk cad aud jpy cny krw brl mxn idr rp thb vnd aed sar ils nis rub uah
    bestellung bestellnummer auftrag rechnung rechnungsnummer kunde kundennummer konto gerat fall vorgang sendung paket buchung vertrag karte telefon handy mobil rufnummer zimmer betrag summe
    gesamt preis seite endet endend endende letzte letzten endziffern postfach
    commande facture billet dossier client compte appareil carte colis suivi contrat montant prix chambre terminant terminee finissant derniers vol portable referenz
    pedido factura caso referencia cliente cuenta dispositivo tarjeta envio paquete seguimiento reserva contrato telefono movil importe precio monto habitacion terminada termina terminado ultimos ultimas vuelo
    fatura chamado protocolo conta cartao encomenda rastreio telefone celular valor preco quarto final
    ordine fattura pratica riferimento dispositivo carta spedizione pacco prenotazione contratto cellulare importo totale prezzo camera volo terminante ultime
    bestelling factuur zaak referentie klant rekening apparaat toestel kaart pakket zending boeking telefoon mobiel bedrag totaal prijs kamer eindigend eindigt laatste vlucht
    zamowienie zamowienia zamowieniu faktury zgloszenie sprawa klient klienta konta urzadzenie karta karty paczka paczki przesylka przesylki rezerwacja umowa kwota suma cena konczaca konczacej ostatnie
    siparis siparisiniz bilet talep musteri hesap cihaz kart kartiniz kargo rezervasyon sozlesme tutar toplam fiyat oda
    заказ заказа заказу счет счета билет билета тикет обращение обращения клиент клиента аккаунт аккаунта устройство карта карты картой карте посылка посылки бронь бронирование последние договор телефон тел сумма цена итого рейс
    замовлення рахунок рахунку квиток звернення клієнт клієнта акаунт пристрій картка картки картою бронювання договір ціна
    ordern fakturan arende kund enhet kort kortet forsandelse bokning avtal belopp slutar
    ordre ordren sag enhed pakke forsendelse aftale belob slutter
    objednavka objednavky objednavku pripad zakaznik ucet uctu zarizeni kartou zasilka zasilky rezervace smlouva castka celkem koncici
    παραγγελια παραγγελιας τιμολογιο τιμολογιου εισιτηριο υποθεση πελατη πελατης λογαριασμος λογαριασμου συσκευη καρτα καρτας δεμα αποστολη κρατηση τηλεφωνο ποσο συνολο τιμη ληγει
    הזמנה הזמנתך חשבונית כרטיס פנייה לקוח חשבון מכשיר משלוח חבילה טלפון סכום מחיר המסתיים
    طلب طلبك الطلب فاتورة الفاتورة تذكرة التذكرة عميل العميل حساب الحساب جهاز الجهاز بطاقة البطاقة شحنة الشحنة حجز الحجز هاتف الهاتف مبلغ المبلغ تنتهي المنتهية
    ऑर्डर आदेश इनवॉइस चालान टिकट ग्राहक खाता खाते डिवाइस कार्ड पार्सल बुकिंग फोन फ़ोन मोबाइल राशि रुपये
           
    pesanan faktur tiket kasus pelanggan akun rekening perangkat kartu pengiriman resi reservasi kontrak telepon ponsel jumlah harga berakhiran`,
  ],
  [
    kind.numeral,
    `º number numbers digits four ziffern vier chiffres quatre digitos cuatro quatro cifre quattro cijfers cyfry cztery haneli цифры цифр siffror fyra cifre fire cislice no nr num nummer id numero numeri numer numeru numara numarasi numaraniz номер номера номером αριθμος αριθμο מספר رقم संख्या नंबर क्रमांक  nomor n`,
  ],
  [
    kind.unit,
    `ms minutes minute min mins hours hour hrs hr seconds second sec secs days day weeks week months years minuten stunden sekunden tage tagen heures jours minutos horas dias minuti ore giorni uur dagen
    минут минуты часов часа секунд дней хвилин годин dakika dakikadir saat saniye gun minut godzin sekund dni minuter timmar sekunder dagar timer dage minutter hodin λεπτα ωρες דקות שעות دقائق دقيقة ساعات ساعة मिनट घंटे   menit jam hari
    points credits items users people customers times eur usd gbp chf euro euros dollars cents inr rs pln zl sek dkk nok kr kc czk tl руб грн mb gb kb px kg km cm mm characters digits percent
    digit bit bits bytes character letters ziffern stellen chiffres digitos cifre cijfers cyfr haneli цифр siffror cifre cislic ψηφια ספרות ارقام अंक  digits
    numarali nolu sayili punkte punten puntos punti points баллов бонусов puan poeng body vnd  baht rupiah street avenue road`,
  ],
  [
    kind.link,
    `is are was ist lautet lauten sind est sont es son è é sao sono luidt zijn jest brzmi to то это є це е je zni är er lyder ειναι הוא היא זה هو هي है हैं  adalah ialah yaitu as als como comme come jako som este ir ay yw është olarak как як ως`,
  ],
  [
    kind.filler,
    `your the a an this that below following here new current personal my our it its one just now
    ihr ihre ihren dein deine deinen der die das den dem unten hier folgende folgenden folgender neuer neue
    votre vos ton le la les ci-dessous voici suivant nouveau
    su tu tus el los este aqui siguiente tuyo o os seu sua teu abaixo il lo tuo suo seguente qui
    uw je jouw jij de het hieronder hier twoj twoja panstwa ponizej nizej tutaj sizin asagidaki iste yeni bu
    ваш ваша ваше твой вот ниже новый ось нижче новий din ditt dit har nedan herunder vas vase tvuj zde nize σας σου εδω ο η το שלך שלכם הבא
    الخاص بك لديك التالي आपका आपकी यहाँ निम्न    sau anda kamu berikut ini`,
  ],
  [
    kind.use,
    `use using enter type input submit provide verwenden benutzen nutzen gib geben eingeben verwende nutze utilisez utiliser saisissez entrez tapez utilise saisis use usa usar utiliza utilice utilizar introduce
    introduzca ingresa ingrese escribe digite insira utilize informe inserisci inserire utilizza digita gebruik voer typ invoeren uzyj wpisz podaj wprowadz kullan kullanin girin girerek girip yazin
    используйте введите укажите введіть використайте використовуйте вкажіть anvand ange skriv brug indtast angiv pouzijte zadejte zadej zadat χρησιμοποιηστε εισαγετε πληκτρολογηστε השתמש השתמשו הזן הזינו הקלד
    استخدم ادخل اكتب استعمل उपयोग दर्ज डालें करें    gunakan masukkan ketik pakai`,
  ],
  [
    kind.action,
    `sign signin sign-in log log-in login verify confirm continue complete finish authenticate activate unlock register reset proceed validate access authorize authorise approve
    anmelden anzumelden einzuloggen einloggen bestatigen verifizieren anmeldung fortzufahren abzuschliessen connecter connexion verifier confirmer valider continuer identifier
    iniciar entrar verificar confirmar acceder continuar validar acessar accedere verificare confermare continuare completare accesso inloggen loggen verifieren bevestigen verifieer
    zalogowac logowania potwierdzic zweryfikowac giris dogrulamak onaylamak oturum войти входа подтвердить подтверждения завершить увійти входу підтвердити
    logga inloggning bekrafta verifiera logge bekraefte verificere prihlasit prihlaseni overit potvrdit dokoncit συνδεθειτε συνδεση επαληθευσετε επιβεβαιωσετε להתחבר לאמת להיכנס כניסה
    لتسجيل للتحقق لتاكيد للدخول تسجيل लॉगिन सत्यापित साइन    masuk verifikasi mengonfirmasi`,
  ],
  [
    kind.thing,
    `door doors gate parking spot entrance building elevator garage house subscriber operation operations wi-fi wifi wlan vendor supplier store location employee staff
    merchant reservation ticketing bank-card club game-card diagnosis medical procedure project category catalog catalogue material asset property promo seller dealer agency barcode meal vessel dept exam module payer warehouse depot fund firmware lookup
    tarif rate fare fault warning pnr iata icao cvv hotel restaurant trip journey travel seat passenger
    interphone porte portail portillon immeuble batiment ascenseur garage reservation transaction operation abonne abonnement adherent fidelite erreur pays agence guichet magasin
    fournisseur salarie invitation voyage voyageur passager dossier banque naf ape siret insee categorie parrain famille
    encuesta bulto expedicion puerta porton edificio reserva transaccion operacion abonado suscriptor socio fidelidad articulo invitacion tienda empleado proveedor sucursal comercio entidad viaje pasajero localizador agencia expediente
    poliza porta portao predio transacao operacao assinante assinatura fidelidade artigo convite loja funcionario fornecedor agencia bilhete ingresso passageiro viagem instalacao unidade
    cancello citofono palazzo transazione operazione abbonato abbonamento socio tessera cartafreccia fedelta articolo invito paese negozio fornecitore fornitore filiale biglietto biglietti viaggio
    passeggero treno volo utenza utente usuario utilisateur iban meccanografico catastale ateco univoco destinatario tributo tracking
    abonenta abonentu rezerwacji rezerwacyjny transakcji transakcyjny operacji abonencki biletu biletow przesylki umowy zaproszenia towaru sklepu pracownika dostawcy taryfy pasazera jednostki
    плательщика брони бронирования бронювання операции операції транзакции транзакції билета квитка абонента договора договору домофона двери дверей калитки подъезда приглашения запрошення магазина сотрудника поставщика отправления посылки валюты
    rezervace rezervacni zakaznicky transakce operace jizdenky vstupenky smlouvy pozvanky predplatitele dveri zbozi
    islem abone kapi bilet magaza tedarikci personel uyelik sadakat rezervasyon
    bokning bokningar ordrenummer dorr port medlem medlems varaus ovi κρατησης συναλλαγης εισιτηριου συνδρομητη πορτας
    العملية المعاملة المشترك المتجر الباب عضوية العضوية الدعوة दुकान लेनदेन सदस्य transaksi bayar booking operasi pelanggan anggota pintu toko הזמנה עסקה מנוי דלת חנות`,
  ],
  [kind.joiner, `de di du des d of da do del della a à zur zum`],
];

/** Words in scripts that do not separate words. The longest match wins. */
export const runs: [meaning: number, words: string][] = [
  [
    kind.code + kind.oneTime,
    `取件码 取件碼 取货码 取貨碼 提货码 提貨碼 领取码 領取碼 验证码 驗證碼 校验码 校驗碼 动态码 動態碼 确认码 確認碼 认证码 認證碼 登录码 登入碼 安全码 安全碼 激活码 啟用碼 授权码 短信码 随机码 隨機碼 口令 动态口令 動態口令 验证代码 驗證代碼 识别码 動態密碼 动态密码 一次性密码 一次性密碼 一次密码 一次性代码 一次性验证码 驗證密碼 登录密码
    認証コード 確認コード 認証番号 確認番号 暗証番号 パスコード ワンタイムパスワード ワンタイムコード ワンタイムキー ワンタイムパス 認証キー セキュリティキー セキュリティコード ログインコード 認証用コード 本人確認コード 二段階認証コード 使い捨てパスワード
    인증번호 인증코드 확인번호 확인코드 보안코드 보안번호 일회용비밀번호 일회용코드 패스코드 핀번호 인증키 보안키 로그인코드 승인번호 임시비밀번호
    รหัสยืนยัน รหัสความปลอดภัย รหัสตรวจสอบ รหัสผ่านครั้งเดียว รหัสผ่านแบบใช้ครั้งเดียว รหัสเข้าสู่ระบบ รหัสโอทีพี โอทีพี`,
  ],
  [kind.code, `代码 代碼 コード 코드 รหัส โค้ด ລະຫັດ លេខកូដ ကုဒ်`],
  [kind.secret, `密码 密碼 金鑰 密钥 パスワード トークン キー 비밀번호 패스워드 토큰 키 รหัสผ่าน`],
  [
    kind.secure,
    `验证 驗證 认证 認證 动态 一次性 安全 登录 登入 確認 認証 ワンタイム セキュリティ ログイン 本人確認 인증 확인 보안 일회용 로그인 본인확인 ยืนยัน ครั้งเดียว เข้าสู่ระบบ ความปลอดภัย`,
  ],
  [
    kind.other,
    `优惠码 優惠碼 折扣码 折扣碼 兑换码 兌換碼 邀请码 邀請碼 二维码 二維碼 条形码 條碼 邮政编码 郵遞區號 错误代码 錯誤代碼 源代码 原始碼 推荐码 促销码 优惠 優惠 折扣 错误 錯誤 股票代码 股票代號 证券代码 基金代码 机构代码 信用代码
    クーポンコード クーポン プロモーションコード プロモコード プロモーション 割引コード 割引 バーコード エラーコード エラー ソースコード ソース 国コード 郵便番号 紹介コード 招待コード 商品コード ギフトコード ギフト 二次元 銀行コード 支店コード 証券コード 銘柄コード 機種コード
    쿠폰코드 쿠폰 할인코드 할인 프로모션 에러 오류 추천 우편번호 우편 바코드 초대 상품 기프트 소스
    รหัสส่วนลด ส่วนลด รหัสไปรษณีย์ รหัสสินค้า รหัสพัสดุ รหัสคูปอง คูปอง โค้ดส่วนลด รหัสลูกค้า`,
  ],
  [kind.thing, `取引 商品 店舗 門 ドア 交易 预定 商户 商家 门店 門 거래 매장 상점 출입문 ธุรกรรม ร้านค้า`],
  [
    kind.named,
    `订单 訂單 发票 發票 工单 客户 客戶 会员 會員 账户 帳戶 账号 帳號 设备 設備 卡号 卡號 银行卡 信用卡 卡片 尾号 尾號 末尾 快递 運單 运单 包裹 预订 預訂 预约 合同 电话 電話 手机 手機 金额 金額 合计 價格 价格 航班
    注文 請求書 請求 チケット お客様 顧客 会員 アカウント 口座 端末 デバイス カード 伝票 追跡 荷物 予約 契約 合計 下4桁 下四桁 お問い合わせ 問い合わせ 受付 利用者
    주문 송장 청구서 티켓 고객 회원 계정 계좌 기기 장치 카드 운송장 배송 예약 계약 전화 휴대폰 금액 합계 가격 끝자리
    คำสั่งซื้อ ใบแจ้งหนี้ ตั๋ว ลูกค้า บัญชี อุปกรณ์ บัตร พัสดุ การจอง โทรศัพท์ โทร จำนวนเงิน ลงท้าย ยอด`,
  ],
  [kind.numeral, `番号 ナンバー 号码 號碼 编号 編號 单号 單號 번호 หมายเลข เลขที่ เลข`],
  [
    kind.unit,
    `分钟 分鐘 分間 分 秒 円 元 원 분 초 นาที บาท ポイント 点 位 桁 자리 名 人 年 月 日 件 个 個 回 次 時間 小时 小時 号 號 番 년 월 일 で終わる 로끝나는 ชั่วโมง หลัก`,
  ],
  [kind.link, `は が です 是 为 為 이며 은 는 입니다 คือ เป็น 爲 如下`],
  [
    kind.filler,
    `您的 你的 あなたの お客様の 以下の 次の こちらの 以下 下記 下記の 次 本次 本 的 を 入力 입력 을 를 귀하의 다음 ของคุณ ของท่าน นี้ こちら 您 你 请输入 請輸入 使用`,
  ],
  [kind.use, `输入 輸入 使用 入力 請輸入 请输入 ご入力 입력 ใส่ กรอก ป้อน ใช้`],
  [kind.action, `登录 登入 验证 驗證 ログイン 認証 確認 サインイン 로그인 인증 확인 เข้าสู่ระบบ ยืนยัน`],
];

/** Vietnamese words. They are not folded, because without accents they would be words of other languages. */
export const vietnamese: [meaning: number, words: string][] = [
  [kind.code, 'mã'],
  [kind.secret, 'khẩu khóa'],
  [kind.secure, 'xác minh đăng mật kích xac kich'],
  [kind.thing, 'đặt giao cửa'],
  [kind.other, 'giảm khuyến vận đơn bưu sản lỗi hàng mời vạch khách'],
  [kind.named, 'hàng khách khoản thẻ máy thoại tiền giá'],
  [kind.numeral, 'số'],
  [kind.unit, 'phút giờ chữ đồng điểm ngày'],
  [kind.link, 'là'],
  [kind.filler, 'của bạn đây này'],
  [kind.use, 'dùng nhập sử'],
  [kind.action, 'đăng xác'],
];

/** Words that emails write in capitals but that are not codes: notices, greetings, buttons. */
export const notices = `
  READY VALID ONLY NEVER EXPIRED EXPIRES CONFIDENTIAL SECRET PRIVATE IMPORTANT NOTE NOTICE WARNING PLEASE HELLO WELCOME
  THANK THANKS HERE BELOW ABOVE VERIFY VERIFIED LOGIN SIGN SIGNIN CONFIRM CONFIRMED CLICK OPEN COPY CODE PASSWORD ACCOUNT
  DEAR ENTER SUBMIT CONTINUE VERIFICATION SECURITY ACTIVATE REQUIRED INVALID WRONG SENT BACK HELP SUPPORT TEAM UNSUBSCRIBE
  REGARDS HALLO BONJOUR HOLA CIAO DANKE MERCI GRACIAS GRAZIE WILLKOMMEN BIENVENUE BIENVENIDO WICHTIG HINWEIS ACHTUNG NUR
  NIEMALS GEHEIM BITTE WEITER ACCEDER ENTRAR CONFIRMAR BESTÄTIGEN NULL NONE TRUE FALSE TODO HTML TEXT MAIL EMAIL PHONE
  DATE TIME USER NAME SAFE SHARED PERSONAL UNIQUE TEMPORARY ACTIVE USED ATTACHED MISSING PENDING
`;
