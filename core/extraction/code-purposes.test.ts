import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodes } from './codes.ts';

const valuesOf = (text: string, subject = 'Acme') =>
  findCodes({ otpToken: null, subject, text, html: null }).map(({ value }) => value);
const linesOf = (table: string) => table.trim().split(/\n| \/ /);

/** Codes of things that nobody types to sign in, separated by ` / `. */
const codesOfThings = linesOf(`
Code postal | 75011 / Address: 14 Curtain Road, London EC2A 2FA
Acme Ltd, 20 Farringdon St, London EC4A 2FA, company 48213770 / W1A 2FA / Código de operación | 884120377
Código de operación: 88412037 / Codice Biglietto: 2847719206 / Codice biglietto: 28477192
Codice CartaFRECCIA: 301882274 / Codice CartaFRECCIA: 30188227 / Kod abonenta w Mój Orange: 118827364
Kod abonenta: 11882736 / Code porte : 47B12 / Vorgangscode: 88120377 / Operation code: 88120377
Door code: 47B12 / The door code is 4712. / Your parking spot code is P482 / Gate code: 4712 / Código da transação: 88120377
Code de réservation : K7T4QX / Booking code: K7T4QX / Reservation code: K7T4QX
Your reservation code is K7T4QX / Ticket code: 88120377 / Transaction code: 88120377
Tracking code: 88120377 / Customer code: 88120377 / Subscriber code: 88120377 / Contract code: 88120377
Member code: 88120377 / Loyalty card code: 88120377 / Loyalty code: 88120377 / Wi-Fi code: 47B12AC9
Wifi code: 47B12AC9 / Zip code: 94105 / Sort code: 200000 / Swift code: DEUTDEFF / Tax code: 88120377
Product code: 88120377 / Item code: 88120377 / Promo code: SAVE2026 / Referral code: ALICE2026
Invitation code: ALICE2026 / Error code: 4004 / Dial code: 0049 / Country code: 0049 / QR code: 88120377
Bar code: 88120377 / Employee code: 88120377 / Supplier code: 88120377 / Vendor code: 88120377
Store code: 4711 / Location code: 4711 / Airport code: 4711 / Medical code: 4711 / Buchungscode: K7T4QX
Reservierungscode: K7T4QX / Kundencode: 88120377 / Ticketcode: 88120377 / Transaktionscode: 88120377
Auftragscode: 88120377 / Türcode: 4712 / Torcode: 4712 / WLAN-Code: 47B12AC9 / Produktcode: 88120377
Artikelcode: 88120377 / Fehlercode: 4004 / Ländercode: 0049 / Mitgliedscode: 88120377
Vertragscode: 88120377 / Einladungscode: X7K2PQ / Filialcode: 4711 / Mandantencode: 88120377
Lieferantencode: 88120377 / Code de transaction : 88120377 / Code transaction : 88120377
Code de suivi : 88120377 / Code abonné : 88120377 / Code de contrat : 88120377 / Code d'adhérent : 88120377
Code adhérent : 88120377 / Code fidélité : 88120377 / Code du portail : 4712 / Code d'immeuble : 4712
Code Wi-Fi : 47B12AC9 / Code produit : 88120377 / Code article : 88120377 / Code d'invitation : X7K2PQ
Code de parrainage : X7K2PQ / Code erreur : 4004 / Code pays : 0049 / Code agence : 88120
Code guichet : 88120 / Code d'opération : 88120377 / Code opération : 88120377 / Code billet : 88120377
Código de reserva: K7T4QX / Código de la reserva: K7T4QX / Código de transacción: 88120377
Código de seguimiento: 88120377 / Código de abonado: 88120377 / Código de contrato: 88120377
Código de socio: 88120377 / Código de la puerta: 4712 / Código del producto: 88120377
Código de artículo: 88120377 / Código de invitación: X7K2PQ / Código de error: 4004 / Código de país: 0049
Código de tienda: 4711 / Código de factura: 88120377 / Código de empleado: 88120377
Código da reserva: K7T4QX / Código de rastreio: 88120377 / Código do assinante: 88120377
Código do contrato: 88120377 / Código do produto: 88120377 / Código de convite: X7K2PQ
Código da operação: 88120377 / Código do bilhete: 88120377 / Código da loja: 4711
Código do cliente: 88120377 / Codice prenotazione: K7T4QX / Codice di prenotazione: K7T4QX
Codice transazione: 88120377 / Codice operazione: 88120377 / Codice della transazione: 88120377
Codice abbonato: 88120377 / Codice contratto: 88120377 / Codice socio: 88120377 / Codice tessera: 88120377
Codice porta: 4712 / Codice cancello: 4712 / Codice prodotto: 88120377 / Codice articolo: 88120377
Codice invito: X7K2PQ / Codice errore: 4004 / Codice paese: 0049 / Codice spedizione: 88120377
Codice filiale: 4711 / Codice Viaggio: 88120377 / Boekingscode: K7T4QX / Reserveringscode: K7T4QX
Klantcode: 88120377 / Transactiecode: 88120377 / Bestelcode: 88120377 / Ticketcode: 88120377
Deurcode: 4712 / Poortcode: 4712 / Wifi-code: 47B12AC9 / Lidcode: 88120377 / Contractcode: 88120377
Foutcode: 4004 / Landcode: 0031 / Uitnodigingscode: X7K2PQ / Artikelcode: 88120377 / Kod rezerwacji: K7T4QX
Kod transakcji: 88120377 / Kod operacji: 88120377 / Kod biletu: 88120377 / Kod klienta: 88120377
Kod przesyłki: 88120377 / Kod umowy: 88120377 / Kod do furtki: 4712 / Kod domofonu: 4712
Kod zaproszenia: X7K2PQ / Kod błędu: 4004 / Kod produktu: 88120377 / Код бронирования: K7T4QX
Код брони: K7T4QX / Код операции: 88120377 / Код транзакции: 88120377 / Код билета: 88120377
Код клиента: 88120377 / Код абонента: 88120377 / Код договора: 88120377 / Код домофона: 4712
Код товара: 88120377 / Код приглашения: X7K2PQ / Код ошибки: 4004 / Код страны: 0007
Код бронювання: K7T4QX / Код операції: 88120377 / Bokningskod: K7T4QX / Kundkod: 88120377 / Portkod: 4712
Dörrkod: 4712 / Produktkod: 88120377 / Felkod: 4004 / Inbjudningskod: X7K2PQ / Bookingkode: K7T4QX
Dørkode: 4712 / Kundekode: 88120377 / Varauskoodi: K7T4QX / Ovikoodi: 4712 / Rezervační kód: K7T4QX
Kód rezervace: K7T4QX / Kód transakce: 88120377 / Rezervasyon kodu: K7T4QX / İşlem kodu: 88120377
Müşteri kodu: 88120377 / Abone kodu: 88120377 / Kapı kodu: 4712 / Bilet kodu: 88120377 / 予約コード：K7T4QX
取引コード：88120377 / 会員コード：88120377 / 预订代码：K7T4QX / 交易代码：88120377 / 예약 코드: K7T4QX / 거래 코드: 88120377
회원 코드: 88120377 / رمز الحجز: K7T4QX / رمز العملية: 88120377 / Mã đặt chỗ: K7T4QX / Mã giao dịch: 88120377
Mã khách hàng: 88120377 / Kode booking: K7T4QX / Kode transaksi: 88120377 / Code: 1188273645
Your code is 118827364512 / Customer PIN 118827364 / El código de reserva es K7T4QX
Ihr Buchungscode lautet K7T4QX. / Votre code de réservation est K7T4QX / Il tuo codice prenotazione è K7T4QX
Je reserveringscode is K7T4QX / Twój kod rezerwacji to K7T4QX
Enter booking code K7T4QX to manage your booking. / CÓDIGO DE OPERACIÓN: 88120377 / Code de cave : 47B12
Kontrahentencode: 88120377 / Reparationskod: 88120377 / 1 Poultry, London EC2R 2FA, company 0482913
`);

/** One-time codes, with a qualifier of any kind; `{}` stands for the code. */
const oneTimeCodes = linesOf(`
Your code for IKEA is {} / Netflix code: {} / Your Acme code: {} / Your acme code: {} / Steam Guard code: {}
Your bunq code is {} / Your magic code is {} / Pairing code: {} / Your pickup code: {} / Pickup code: {}
Collection code: {} / Locker code: {} / Your delivery code is {} / Device code: {} / Six-digit code: {}
6-digit code: {} / Unlock code: {} / Your secret code: {} / SMS code: {} / Email code: {} / Your PIN: {}
Recovery code: {} / Your code to approve transaction 88120377 is {} / Your code for your booking is {}
Code for your reservation: {} / Security code for transaction: {} / Transaction confirmation code: {}
Transaction authorisation code: {} / Customer verification code: {} / Booking verification code: {}
Account verification code: {} / Wi-Fi login code: {} / Ticket shop login code: {} / Member login code: {}
Enter the pairing code {} on your TV / Abholcode: {} / Ihr Abholcode lautet {} / Packstation-Abholcode: {}
Öffnungscode: {} / Kopplungscode: {} / Zahlencode: {} / Zifferncode: {} / Entsperrcode: {} / Gerätecode: {}
SMS-Code: {} / E-Mail-Code: {} / Netflix-Code: {} / Transaktionsfreigabecode: {}
Kundenverifizierungscode: {} / Geheimcode: {} / Zutrittscode: {} / Wiederherstellungscode: {}
Registrierungscode: {} / Legitimationscode: {} / Ihr Code zur Buchung lautet {}
Ihr Code für den Vorgang 88120377: {} / Code de connexion : {} / Code de sécurité : {} / Code d'accès : {}
Code d'activation : {} / Code de retrait : {} / Code de déverrouillage : {} / Code de récupération : {}
Code à usage unique : {} / Code à 6 chiffres : {} / Code secret : {} / Code unique : {}
Code temporaire : {} / Code reçu : {} / Code Netflix : {} / Votre code Doctolib est {}
Code de double authentification : {} / Code de votre compte : {} / Votre code pour la réservation est {}
Code d'authentification : {} / Code de validation : {} / Code de jumelage : {} / Code confidentiel : {}
Code de contrôle : {} / Code de signature : {} / Code de vérification client : {}
Code de validation de transaction : {} / Code de confirmation de réservation : {}
Código de comprobación: {} / Código de desbloqueo: {} / Código de recuperación: {}
Código de inicio de sesión: {} / Código de activación: {} / Código de un solo uso: {}
Código de 6 dígitos: {} / Código de seis dígitos: {} / Código de recogida: {} / Código de firma: {}
Código único: {} / Código temporal: {} / Código enviado: {} / Código de seguridad de la transacción: {}
Código para confirmar la operación: {} / Código SMS: {} / Código Mercado Libre: {} / Código de ativação: {}
Código de retirada: {} / Código de login: {} / Código de entrada: {} / Código gerado: {}
Código de confirmação: {} / Código de acesso: {} / Codice di conferma: {} / Codice conferma: {}
Codice di sblocco: {} / Codice di ritiro: {} / Codice di attivazione: {} / Codice di sicurezza: {}
Codice da inserire: {} / Codice OTP: {} / Codice temporaneo: {} / Codice segreto: {} / Codice monouso: {}
Codice verifica: {} / Codice di autorizzazione: {} / Codice per autorizzare l'operazione: {} / Inlogcode: {}
Toegangscode: {} / Beveiligingscode: {} / Bevestigingscode: {} / Controlecode: {} / Activatiecode: {}
Koppelcode: {} / Afhaalcode: {} / Ophaalcode: {} / Herstelcode: {} / Pincode: {} / Aanmeldcode: {}
Autorisatiecode: {} / Kod odbioru: {} / Kod dostępu: {} / Kod aktywacyjny: {} / Kod autoryzacji: {}
Kod autoryzacyjny: {} / Kod bezpieczeństwa: {} / Kod jednorazowy: {} / Kod SMS: {} / Kod PIN: {}
Kod logowania: {} / Kod do logowania: {} / Kod do autoryzacji transakcji: {} / Kod potwierdzający: {}
Kod uwierzytelniający: {} / Kod parowania: {} / Kod Allegro: {} / Код доступа: {} / Код активации: {}
Код авторизации: {} / Код верификации: {} / Код для входа: {} / Код из СМС: {} / Код получения: {}
Код восстановления: {} / Код выдачи: {} / Код регистрации: {} / Код проверки: {} / Секретный код: {}
Код Яндекс: {} / Код для подтверждения операции: {} / Verifieringskod: {} / Säkerhetskod: {}
Inloggningskod: {} / Bekräftelsekod: {} / Aktiveringskod: {} / Uthämtningskod: {} / Åtkomstkod: {}
Engångskod: {} / Hentekode: {} / Adgangskode: {} / Bekræftelseskode: {} / Godkendelseskode: {}
Aktiveringskode: {} / Pinkode: {} / Kirjautumiskoodi: {} / Noutokoodi: {} / Turvakoodi: {}
Ověřovací kód: {} / Kód pro přihlášení: {} / Bezpečnostní kód: {} / Autorizační kód: {}
Kód k vyzvednutí: {} / Giriş kodu: {} / Onay kodu: {} / Teslim kodu: {} / Güvenlik kodu: {}
İşlem onay kodu: {} / 取引の確認コード：{} / ログインコード：{} / 受取コード：{} / 验证代码：{} / 交易验证码：{} / 거래 인증 코드: {} / 예약 확인 코드: {}
رمز التحقق: {} / رمز تأكيد الحجز: {} / رمز التفعيل: {} / Mã xác nhận: {} / Mã OTP giao dịch: {}
Kode verifikasi transaksi: {} / Kode verifikasi: {} / Customer OTP: {} / Transaction OTP: {}
Clave de operación: {} / Your Booking.com code is {} / Dein Ticketmaster-Code: {} / Code de transfert : {}
Sähköpostikoodi: {} / Betalningskod: {} / Utlämningskod: {}
`);

for (const text of codesOfThings)
  test(`finds no code in ${JSON.stringify(text)}`, () => assert.deepEqual(valuesOf(text), []));

for (const text of oneTimeCodes)
  test(`finds the code in ${JSON.stringify(text)}`, () =>
    assert.deepEqual(valuesOf(text.replace('{}', '482913')), ['482913']));

/** Nine-digit numbers: of receipts and customers, unless a one-time code is announced. */
const longNumbers: [subject: string, text: string, values: string[]][] = [
  ['Acme', 'Code: 118827364', []],
  ['Acme', 'Customer PIN 118827364', []],
  ['Acme', 'Your code is 118827364512', []],
  ['Acme', 'Your code is 118-827-364', ['118827364']],
  ['Acme', 'OTP: 118827364', ['118827364']],
  ['Acme', 'Your verification code is 118827364', ['118827364']],
  ['Your sign-in code', 'Your code is 118827364', ['118827364']],
];

for (const [subject, text, values] of longNumbers)
  test(`finds ${values.join() || 'nothing'} in ${JSON.stringify(`${subject}: ${text}`)}`, () =>
    assert.deepEqual(valuesOf(text, subject), values));
