package dev.sandpost;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the mail of a Sandpost in tests. One file for Java 17 or newer, without dependencies.
 *
 * <pre>{@code
 * Inbox inbox = new Sandpost().inbox("signup");                   // an address of its own: signup-3f9a2c71d0@sandpost.test
 * ...                                                             // the application writes to inbox.address
 * Mail mail = inbox.waitFor(wanted -> wanted.subject("Welcome")); // exactly one mail, or an error that lists others
 * mail.code();                                                    // "493817"
 * mail.link("verify");                                            // "https://shop.example/verify?t=1"
 * }</pre>
 *
 * The server is at SANDPOST_URL, or http://localhost:8080. SANDPOST_API_KEY is a key of it. Addresses are of the domain
 * SANDPOST_DOMAIN, or of an account of the key that takes mail for any address.
 */
public final class Sandpost {
    /** Version of this client, which is that of the server that it came from. */
    public static final String VERSION = "@VERSION@";

    private static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /** Seconds of one request that waits. Proxies commonly end a request after 60 s. */
    private static final int LONGEST_WAIT = 50;
    /** Mails that a wait can be for. */
    private static final int MOST_MAILS = 200;

    private final String url;
    private final String key;
    private String domain;

    /** The server that the environment names. */
    public Sandpost() {
        this(System.getenv("SANDPOST_URL"), System.getenv("SANDPOST_API_KEY"), System.getenv("SANDPOST_DOMAIN"));
    }

    /** A server, as the owner of a key sees it. Each argument may be null. */
    public Sandpost(String url, String key, String domain) {
        this.url = (url == null || url.isEmpty() ? "http://localhost:8080" : url).replaceAll("/+$", "");
        this.key = Objects.requireNonNullElse(key, "");
        this.domain = Objects.requireNonNullElse(domain, "");
    }

    /** Makes an address that nobody can guess, which begins with the name. Changes nothing on the server. */
    public synchronized Inbox inbox(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String readable = plain.substring(0, Math.min(40, plain.length())).replaceAll("^-|-$", "");
        Object since = json("/api/messages", Map.of("limit", 1)).get("cursor");
        if (domain.isEmpty()) domain = findDomain();
        byte[] random = new byte[5];
        new SecureRandom().nextBytes(random);
        String unguessable = HexFormat.of().formatHex(random) + "@" + domain;
        return new Inbox((readable.isEmpty() ? "test" : readable) + "-" + unguessable, since);
    }

    /** An address of one test. Sees the mail that came to it since it was made. */
    public final class Inbox {
        public final String address;
        private final Object since;

        private Inbox(String address, Object since) {
            this.address = address;
            this.since = since;
        }

        /** Waits up to 30 seconds for the one mail to the address. Throws SandpostError if none came, or several. */
        public Mail waitFor() {
            return waitFor(any -> {});
        }

        /** Waits for the one mail for which all conditions hold. Throws SandpostError if none came in time, or several. */
        public Mail waitFor(Consumer<Conditions> given) {
            Conditions wanted = new Conditions(given, 30);
            Found found = look(wanted);
            int size = found.mails.size();
            if (size == 1) return found.mails.get(0);
            if (size > 1)
                throw new SandpostError(size + " mails to " + address + wanted + " came, one was wanted:" + lines(found.mails));
            String instead = found.others.isEmpty() ? "No other mail came near." : "Came instead:" + found.others;
            throw new SandpostError("No mail to " + address + wanted + " came within " + wanted.seconds() + " s. " + instead);
        }

        /** Waits 3 seconds. Throws SandpostError as soon as there is a mail to the address. */
        public void none() {
            none(any -> {});
        }

        /** Waits. Throws SandpostError as soon as there is a mail for which all conditions hold. */
        public void none(Consumer<Conditions> given) {
            Conditions wanted = new Conditions(given, 3);
            List<Mail> mails = look(wanted).mails;
            if (!mails.isEmpty())
                throw new SandpostError("Mail to " + address + wanted + " came, none was wanted:" + lines(mails));
        }

        /** Returns the mails that match, as soon as there is one; else, once the time is over, those that came instead. */
        private Found look(Conditions wanted) {
            Map<String, Object> query = wanted.query();
            query.putAll(Map.of("address", address, "since", since, "limit", 20, "explain", 1, "count", 1));
            long end = System.nanoTime() + wanted.within.toNanos();
            while (true) {
                int left = (int) Math.ceil(Math.max(0, end - System.nanoTime()) / 1e9);
                query.put("wait", Math.min(LONGEST_WAIT, left));
                Map<String, Object> answer = json("/api/messages", query);
                List<Mail> mails = list(answer, "items").map(item -> mail(item.get("id"))).toList();
                List<Mail> matching = mails.stream().filter(mail -> wanted.failed(mail).isEmpty()).toList();
                long count = (Long) ((Map<?, ?>) answer.get("pagination")).get("total") + 1;
                if (!matching.isEmpty() || System.nanoTime() >= end || count > MOST_MAILS) {
                    Stream<String> unlike = mails.stream().map(mail -> line(mail.fields) + differs(address, wanted.failed(mail)));
                    Stream<String> near = list(answer, "near_misses")
                        .map(miss -> line(miss) + differs(miss.get("to"), (List<?>) miss.get("failed")));
                    return new Found(matching, Stream.concat(unlike, near).collect(Collectors.joining()));
                }
                query.put("count", count);
            }
        }
    }

    /** Mails that match, and lines on those that came instead. */
    private record Found(List<Mail> mails, String others) {}

    /** Conditions on a mail. A text is a part of what the mail has, without regard to case; a pattern is found in it. */
    public static final class Conditions {
        private final Map<String, Object> given = new LinkedHashMap<>();
        private Duration within;

        private Conditions(Consumer<Conditions> give, long seconds) {
            within = Duration.ofSeconds(seconds);
            give.accept(this);
        }

        public Conditions subject(String text) { return with("subject", text); }
        public Conditions subject(Pattern pattern) { return with("subject", pattern); }
        public Conditions from(String text) { return with("from", text); }
        public Conditions from(Pattern pattern) { return with("from", pattern); }
        public Conditions text(String text) { return with("text", text); }
        public Conditions text(Pattern pattern) { return with("text", pattern); }

        /** A query, as docs/search.md of the server says. */
        public Conditions q(String query) { return with("q", query); }

        /** Longest time to wait. */
        public Conditions within(Duration time) {
            within = time;
            return this;
        }

        private Conditions with(String name, Object value) {
            given.put(name, value);
            return this;
        }

        /** Returns the parameters that say the texts to the server. */
        private Map<String, Object> query() {
            Map<String, Object> query = new LinkedHashMap<>(given);
            query.values().removeIf(value -> value instanceof Pattern);
            if (query.remove("text") instanceof String text)
                query.merge("q", "body:\"" + text.replace("\"", "\\\"") + "\"", (q, body) -> q + " " + body);
            return query;
        }

        /** Returns the names of the patterns that are not found in a mail. */
        private List<String> failed(Mail mail) {
            return given.keySet().stream()
                .filter(name -> given.get(name) instanceof Pattern pattern && !pattern.matcher(mail.searched(name)).find())
                .toList();
        }

        /** Returns the conditions in words. */
        @Override
        public String toString() {
            if (given.isEmpty()) return "";
            return given.entrySet().stream()
                .map(one -> one.getKey() + (one.getValue() instanceof Pattern ? " /%s/" : " \"%s\"").formatted(one.getValue()))
                .collect(Collectors.joining(", ", " with ", ""));
        }

        private String seconds() {
            return BigDecimal.valueOf(within.toMillis(), 3).stripTrailingZeros().toPlainString();
        }
    }

    /** A mail, with the fields that GET /api/messages/{id} answers with. */
    public final class Mail {
        public final Map<String, Object> fields;
        public final long id;
        public final String subject;

        private Mail(Map<String, Object> fields) {
            this.fields = fields;
            id = (Long) fields.get("id");
            subject = (String) fields.get("subject");
        }

        /** Returns the one-time code. Throws SandpostError if there is none, or several. */
        public String code() {
            return one("code", list(fields, "codes").map(code -> (String) code.get("value")).toList(), List.of());
        }

        /** Returns the link that the mail is about. Throws SandpostError if there is none. */
        public String link() {
            return one("main link", Stream.ofNullable((String) fields.get("main_link")).toList(), links());
        }

        /**
         * Returns the link of a kind: verify, reset, login, invite, unsubscribe or other. Throws SandpostError if there is none,
         * or several of the kind.
         */
        public String link(String kind) {
            Stream<Map<String, Object>> ofKind = list(fields, "links").filter(link -> link.get("kind").equals(kind));
            return one("link of the kind " + kind, ofKind.map(link -> (String) link.get("url")).toList(), links());
        }

        private List<String> links() {
            return list(fields, "links").map(link -> link.get("kind") + " " + link.get("url")).toList();
        }

        /** Returns the content of the attachment with a name like "*.pdf". Throws SandpostError if there is none, or several. */
        public byte[] attachment(String pattern) {
            String expression = ("\\Q" + pattern + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
            Map<Object, String> names = new LinkedHashMap<>();
            list(fields, "attachments").forEach(file -> names.put(file.get("id"), Objects.toString(file.get("filename"), "")));
            Map<Object, String> like = new LinkedHashMap<>(names);
            like.values().removeIf(name -> !Pattern.compile(expression, Pattern.DOTALL).matcher(name).matches());
            one("attachment " + pattern, List.copyOf(like.values()), List.copyOf(names.values()));
            return bytes("/api/messages/" + id + "/attachments/" + like.keySet().iterator().next(), Map.of());
        }

        /** Returns the HTML. Throws SandpostError if there is none, or more than the 1 MiB that an answer has. */
        public String html() {
            return whole("html", "HTML");
        }

        /** Returns the plain text. Throws SandpostError if there is none, or more than the 1 MiB that an answer has. */
        public String text() {
            return whole("text", "text");
        }

        /** Returns the bytes of the mail, as they were received. */
        public byte[] raw() {
            return bytes("/api/messages/" + id + "/raw", Map.of());
        }

        private String whole(String name, String title) {
            if (fields.get(name) == null) throw new SandpostError(this + " has no " + title + ".");
            if (fields.get(name + "_truncated") == Boolean.TRUE)
                throw new SandpostError(this + " has more than 1 MiB of " + title + ": take the raw mail instead.");
            return (String) fields.get(name);
        }

        /** Returns the only value. Throws SandpostError on another number of them, with what is there instead. */
        private String one(String what, List<String> values, List<String> there) {
            if (values.size() == 1) return values.get(0);
            if (values.size() > 1)
                throw new SandpostError(this + " has more than one " + what + ": " + String.join(", ", values));
            String has = there.isEmpty() ? "" : " It has: " + String.join(", ", there);
            throw new SandpostError(this + " has no " + what + "." + has);
        }

        /** Returns the text in which the pattern of a condition is looked for. */
        private String searched(String name) {
            if (name.equals("subject")) return subject;
            if (name.equals("from")) return Objects.toString(fields.get("from_name"), "") + " " + fields.get("from_address");
            return Stream.of("text", "html").map(fields::get).filter(Objects::nonNull).findFirst().orElse("").toString();
        }

        @Override
        public String toString() {
            return "Mail " + id + " \"" + subject + "\"";
        }
    }

    private Mail mail(Object id) {
        return new Mail(json("/api/messages/" + id, Map.of()));
    }

    /** Returns the domain of a catch-all account, else of the capture account, among the oldest 200 accounts. */
    private String findDomain() {
        Map<String, Object> accounts = json("/api/accounts", Map.of("limit", 200, "is_active", true));
        return Stream.of("is_catch_all", "is_capture")
            .flatMap(kind -> list(accounts, "items").filter(account -> account.get(kind) == Boolean.TRUE))
            .map(account -> ((String) account.get("address")).replaceAll(".*@", ""))
            .findFirst()
            .orElseThrow(() -> new SandpostError(
                "No account at " + url + " takes mail for any address: make one, or set SANDPOST_DOMAIN."));
    }

    private Map<String, Object> json(String path, Map<String, Object> query) {
        return read(bytes(path, query));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> read(byte[] answer) {
        try {
            return (Map<String, Object>) new Json(new String(answer, StandardCharsets.UTF_8)).value();
        } catch (RuntimeException cause) {
            throw new SandpostError(url + " is no Sandpost: it does not answer with JSON.", cause);
        }
    }

    private byte[] bytes(String path, Map<String, Object> query) {
        String asked = query.entrySet().stream()
            .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue().toString(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
        Duration patience = Duration.ofSeconds(30 + (int) query.getOrDefault("wait", 0));
        HttpResponse<byte[]> answer;
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path + "?" + asked)).timeout(patience);
            if (!key.isEmpty()) request.header("X-API-KEY", key);
            answer = http.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException | IllegalArgumentException cause) {
            throw new SandpostError("No Sandpost answers at " + url + ": set SANDPOST_URL to its address.", cause);
        } catch (InterruptedException cause) {
            Thread.currentThread().interrupt();
            throw new SandpostError("The test was interrupted.", cause);
        }
        if (answer.statusCode() != 200) throw refused(answer);
        return answer.body();
    }

    /** Returns the error of an answer that is no success. */
    private SandpostError refused(HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        if (status == 401 && key.isEmpty()) return new SandpostError(url + " wants a key: set SANDPOST_API_KEY.");
        if (status == 401) return new SandpostError("SANDPOST_API_KEY is no key of " + url + ".");
        if (status >= 300 && status < 400)
            return new SandpostError(url + " leads to another address: set SANDPOST_URL to that.");
        Object detail = read(answer.body()).get("detail");
        String version = answer.headers().firstValue("Sandpost-Version").orElse("an older version");
        String ages = version.equals(VERSION) ? "" : " The server is " + version + ", this client " + VERSION + ".";
        return new SandpostError(url + " answered " + status + ": " + detail + "." + ages);
    }

    private static String lines(List<Mail> mails) {
        return mails.stream().map(mail -> line(mail.fields)).collect(Collectors.joining());
    }

    private static String line(Map<String, Object> mail) {
        return "\n  mail " + mail.get("id") + " \"" + mail.get("subject") + "\"";
    }

    private static String differs(Object to, List<?> failed) {
        return " to " + to + failed.stream().map(Object::toString).collect(Collectors.joining(", ", " (differs in ", ")"));
    }

    /** Returns the objects of a list of an object. Without the list, none. */
    @SuppressWarnings("unchecked")
    private static Stream<Map<String, Object>> list(Map<String, Object> object, String name) {
        return ((List<Map<String, Object>>) object.getOrDefault(name, List.of())).stream();
    }

    /** A mail that is missing or not as it was wanted, or a server that does not answer. Says so in one sentence. */
    public static final class SandpostError extends AssertionError {
        private SandpostError(String message) {
            super(message);
        }

        private SandpostError(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reader of JSON (RFC 8259), which Java does not come with. Throws a RuntimeException for any other text. */
    private static final class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        /** Reads a map, list, string, boolean or null, or a number as Long or Double. */
        Object value() {
            switch (next()) {
                case '{': return map();
                case '[': return list();
                case '"': return string();
                default: return word();
            }
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        /** Reads a character, if it is the next one. */
        private boolean take(char wanted) {
            boolean there = next() == wanted;
            if (there) at++;
            return there;
        }

        private Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            for (at++; !take('}'); take(',')) {
                next();
                String name = string();
                if (!take(':')) throw new IllegalArgumentException("no value");
                map.put(name, value());
            }
            return map;
        }

        private List<Object> list() {
            List<Object> list = new ArrayList<>();
            for (at++; !take(']'); take(',')) list.add(value());
            return list;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c != '\\') string.append(c);
                else string.append(escaped(text.charAt(++at)));
            }
            at++;
            return string.toString();
        }

        private char escaped(char c) {
            if (c == 'u') return (char) Integer.parseInt(text.substring(at + 1, (at += 4) + 1), 16);
            int plain = "bfnrt".indexOf(c);
            return plain < 0 ? c : "\b\f\n\r\t".charAt(plain);
        }

        private Object word() {
            int begin = at;
            while (at < text.length() && ",]} \r\n\t".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(begin, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            return word.matches("-?\\d+") ? (Object) Long.valueOf(word) : Double.valueOf(word);
        }
    }
}
