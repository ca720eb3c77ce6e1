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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads Sandpost mail in tests. One file for Java 17 or newer, without dependencies.
 *
 * <pre>{@code
 * Inbox inbox = new Sandpost().inbox("signup");                   // a unique address: signup-3f9a2c71d0@sandpost.test
 * ...                                                             // the application sends an email to inbox.address
 * Mail mail = inbox.waitFor(wanted -> wanted.subject("Welcome")); // exactly one email, or an error that lists others
 * mail.code();                                                    // "493817"
 * mail.link("verify");                                            // "https://shop.example/verify?t=1"
 * }</pre>
 *
 * Set SANDPOST_URL to the server's address (default: http://localhost:8080), and SANDPOST_API_KEY to an API key. Addresses belong to
 * SANDPOST_DOMAIN, or else to the domain of the key's catch-all or capture account.
 */
public final class Sandpost {
    /** Version of this client, and of the server that provided it. */
    public static final String VERSION = "@VERSION@";

    private static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /** Longest wait of one request, in seconds. Proxies commonly end a request after 60 s. */
    private static final int LONGEST_WAIT = 50;
    /** Maximum number of emails that a call checks. */
    private static final int MOST_MAILS = 200;
    /** Maximum number of emails that an error lists. */
    private static final int MOST_LISTED = 20;
    /** Time for which the client repeats a request to a busy server: twice the minute of its limit. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** The same for a server that has not responded yet: its address may be wrong. */
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(2);

    private static final Map<List<String>, Shared> servers = new ConcurrentHashMap<>();

    /** State that all clients of a server share: the domain of addresses, and whether the server has responded. */
    private static final class Shared {
        private String domain;
        private volatile boolean isKnown;
    }

    private final String url;
    private final String key;
    private final String domain;
    private final Shared shared;

    /** Uses the server from the environment variables. */
    public Sandpost() {
        this(System.getenv("SANDPOST_URL"), System.getenv("SANDPOST_API_KEY"), System.getenv("SANDPOST_DOMAIN"));
    }

    /** Uses a server with a key. Each argument may be null. */
    public Sandpost(String url, String key, String domain) {
        this.url = (url == null || url.isEmpty() ? "http://localhost:8080" : url).replaceAll("/+$", "");
        this.key = Objects.requireNonNullElse(key, "");
        this.domain = Objects.requireNonNullElse(domain, "");
        shared = servers.computeIfAbsent(List.of(this.url, this.key, this.domain), server -> new Shared());
    }

    /** Generates an unguessable address that begins with the name. Changes nothing on the server. */
    public Inbox inbox(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String readable = plain.substring(0, Math.min(40, plain.length())).replaceAll("^-|-$", "");
        Object since = json("/api/messages", Map.of("limit", 1)).get("cursor");
        synchronized (shared) {
            if (shared.domain == null) shared.domain = findDomain();
        }
        byte[] random = new byte[5];
        new SecureRandom().nextBytes(random);
        String unguessable = HexFormat.of().formatHex(random) + "@" + shared.domain;
        return new Inbox((readable.isEmpty() ? "test" : readable) + "-" + unguessable, since);
    }

    /** A test's address. Contains the mail that arrived after the inbox was created. */
    public final class Inbox {
        public final String address;
        private final Object since;

        private Inbox(String address, Object since) {
            this.address = address;
            this.since = since;
        }

        /** Waits up to 30 seconds for the one email to the address. Throws SandpostError if none or several arrive. */
        public Mail waitFor() {
            return waitFor(any -> {});
        }

        /**
         * Waits for the one email that meets all conditions. Throws SandpostError if none or several arrive in time. To detect a second
         * email that arrives later, set {@code settle}.
         */
        public Mail waitFor(Consumer<Conditions> given) {
            Conditions wanted = new Conditions(given);
            if (wanted.count > 0) throw new SandpostError("waitFor does not accept count: use mails.");
            return mail(waitFor(wanted, 1).get(0));
        }

        /** Returns the emails so far, newest first. Throws SandpostError if there are more than 200. */
        public List<Mail> mails() {
            return mails(any -> {});
        }

        /**
         * Returns the emails that meet all conditions, newest first. With {@code count}, waits for exactly that many. Throws
         * SandpostError if fewer or more arrive, or if more than 200 match.
         */
        public List<Mail> mails(Consumer<Conditions> given) {
            Conditions wanted = new Conditions(given);
            if (wanted.count > 0) return waitFor(wanted, wanted.count).stream().map(Sandpost.this::mail).toList();
            if (wanted.within != null || wanted.settle != null)
                throw new SandpostError("mails accepts within and settle only with count.");
            Found found = look(wanted, since, 1, Duration.ZERO, false);
            requireAll(wanted, found.mails.size(), found.total);
            return found.mails.stream().map(Sandpost.this::mail).toList();
        }

        /** Waits 3 seconds. Throws SandpostError as soon as an email to the address arrives. */
        public void none() {
            none(any -> {});
        }

        /** Waits. Throws SandpostError as soon as an email meets all conditions. */
        public void none(Consumer<Conditions> given) {
            Conditions wanted = new Conditions(given);
            if (wanted.count > 0 || wanted.settle != null) throw new SandpostError("none does not accept count or settle.");
            Duration within = Objects.requireNonNullElse(wanted.within, Duration.ofSeconds(3));
            Found found = look(wanted, since, 1, within, false);
            if (found.total > 0)
                throw new SandpostError("Mail to " + address + wanted + " arrived, but none was expected:" + lines(found));
        }

        private List<Map<String, Object>> waitFor(Conditions wanted, int count) {
            Duration within = Objects.requireNonNullElse(wanted.within, Duration.ofSeconds(30));
            Found found = look(wanted, since, count, within, true);
            if (found.total == count && wanted.settle != null) {
                Found later = look(wanted, found.cursor, 1, wanted.settle, false);
                found = new Found(
                    joined(later.mails, found.mails), found.total + later.total, found.cursor, found.others);
            }
            if (found.total == count) return found.mails;
            String were = (count == 1 ? "one was" : count + " were") + " expected:";
            String arrived = (found.total == 1 ? "1 email" : found.total + " emails") + " to " + address + wanted + " arrived";
            String time = " within " + seconds(within) + " s";
            if (found.total > count) throw new SandpostError(arrived + ", but " + were + lines(found));
            if (found.total > 0) throw new SandpostError(arrived + time + ", but " + were + lines(found));
            throw new SandpostError("No mail to " + address + wanted + " arrived" + time + "." + found.others);
        }

        /** Waits until enough emails match that arrived after a cursor, or time runs out. */
        private Found look(Conditions wanted, Object start, int count, Duration within, boolean explain) {
            Map<String, Object> query = wanted.query();
            query.putAll(Map.of("address", address, "limit", MOST_MAILS, "include", "message", "explain", explain ? 1 : 0));
            Clock clock = new Clock(within);
            List<Map<String, Object>> found = List.of();
            List<String> unlike = List.of();
            long total = 0;
            String others = "";
            Object cursor = start;
            for (boolean isFirst = true; ; isFirst = false) {
                query.putAll(Map.of("since", cursor, "count", count - total));
                Map<String, Object> answer = list(query, clock);
                List<Map<String, Object>> items = answer.get("message") instanceof Map<?, ?>
                    ? List.of(object(answer, "message"))
                    : list(answer, "items").toList();
                long there = (Long) object(answer, "pagination").get("total");
                if (wanted.hasPatterns()) {
                    requireAll(wanted, items.size(), there);
                    List<Mail> mails = items.stream().map(Sandpost.this::mail).toList();
                    items = mails.stream().filter(mail -> wanted.failed(mail).isEmpty()).map(mail -> mail.fields).toList();
                    there = items.size();
                    Stream<Mail> failing = mails.stream().filter(mail -> !wanted.failed(mail).isEmpty());
                    unlike = joined(failing.map(mail -> line(mail.fields) + differs(address, wanted.failed(mail))).toList(), unlike);
                }
                found = joined(items, found);
                total += there;
                cursor = answer.get("cursor");
                if (total < count && !clock.isOver()) continue;
                if (explain && total == 0) {
                    query.putAll(Map.of("since", start, "count", MOST_MAILS));
                    // Near misses come from the last request, which began after the earlier emails.
                    Map<String, Object> whole = isFirst ? answer : list(query, new Clock(Duration.ZERO));
                    unlike = joined(unlike, list(whole, "near_misses").map(Sandpost::miss).toList());
                    // A server that is too busy to search for near misses does not say that there are none.
                    others = whole.containsKey("near_misses") ? " No similar mail arrived." : "";
                    if (!unlike.isEmpty())
                        others = unlike.stream().limit(MOST_LISTED).collect(Collectors.joining("", " Arrived instead:", ""));
                }
                return new Found(found, total, cursor, others);
            }
        }

        /** Fails if the server has more emails than it returned: the others might match differently. */
        private void requireAll(Conditions wanted, long looked, long total) {
            if (total > looked)
                throw new SandpostError(total + " emails to " + address + wanted + " arrived, but a call checks at most " + MOST_MAILS
                    + ": add a string condition.");
        }
    }

    /** Matching emails, newest first, with their number, the cursor after them, and a sentence about what arrived instead. */
    private record Found(List<Map<String, Object>> mails, long total, Object cursor, String others) {}

    /** Time of a call. */
    private static final class Clock {
        private final long begun = System.nanoTime();
        private long end;

        Clock(Duration time) {
            end = begun + time.toNanos();
        }

        long left() {
            return end - System.nanoTime();
        }

        boolean isOver() {
            return left() <= 0;
        }

        void endWithin(Duration time) {
            end = Math.min(end, begun + time.toNanos());
        }

        /** Adds a pause, as far as the time stays within another. */
        void extend(long nanos, Duration most) {
            end = Math.max(end, Math.min(end + nanos, begun + most.toNanos()));
        }
    }

    /** Conditions that an email must all meet. A string matches a part of the value, ignoring case. A pattern matches a part, too. */
    public static final class Conditions {
        private final Map<String, Object> given = new LinkedHashMap<>();
        private Duration within;
        private Duration settle;
        private Mail after;
        private int count;

        private Conditions(Consumer<Conditions> give) {
            give.accept(this);
        }

        public Conditions subject(String text) { return with("subject", text); }
        public Conditions subject(Pattern pattern) { return with("subject", pattern); }
        public Conditions from(String text) { return with("from", text); }
        public Conditions from(Pattern pattern) { return with("from", pattern); }
        public Conditions text(String text) { return with("text", text); }
        public Conditions text(Pattern pattern) { return with("text", pattern); }

        /** Search query. */
        public Conditions q(String query) { return with("q", query); }

        /** Trace id in the email's traceparent: 32 hexadecimal digits. */
        public Conditions trace(String id) { return with("trace", id); }

        /** Only emails that arrived after this one. */
        public Conditions after(Mail mail) {
            after = mail;
            return this;
        }

        /** Longest time to wait. Default: 3 seconds for none, otherwise 30. */
        public Conditions within(Duration time) {
            within = time;
            return this;
        }

        /** Time after a wait in which no more mail may arrive. */
        public Conditions settle(Duration time) {
            settle = time;
            return this;
        }

        /** Number of emails to wait for. */
        public Conditions count(int number) {
            if (number < 1 || number > MOST_MAILS)
                throw new SandpostError("The option count must be a number from 1 to " + MOST_MAILS + ", not " + number + ".");
            count = number;
            return this;
        }

        private Conditions with(String name, Object value) {
            if (value instanceof String text && text.isBlank()) throw new SandpostError("The condition " + name + " is empty.");
            given.put(name, value);
            return this;
        }

        /** Returns the query parameters for the server. */
        private Map<String, Object> query() {
            Map<String, Object> query = new LinkedHashMap<>(given);
            query.values().removeIf(value -> value instanceof Pattern);
            if (after != null) query.put("after", after.id);
            return query;
        }

        private boolean hasPatterns() {
            return given.values().stream().anyMatch(value -> value instanceof Pattern);
        }

        /** Returns the names of the patterns that an email does not match. */
        private List<String> failed(Mail mail) {
            return given.keySet().stream()
                .filter(name -> given.get(name) instanceof Pattern pattern && !pattern.matcher(mail.searched(name)).find())
                .toList();
        }

        /** Returns the conditions in words. */
        @Override
        public String toString() {
            Stream<String> said = given.entrySet().stream()
                .map(one -> one.getKey() + (one.getValue() instanceof Pattern ? " /%s/" : " \"%s\"").formatted(one.getValue()));
            List<String> all = Stream.concat(said, Stream.ofNullable(after).map(mail -> "after email " + mail.id)).toList();
            return all.isEmpty() ? "" : " with " + String.join(", ", all);
        }
    }

    /** An email. {@code fields} is the response of GET /api/messages/{id}. */
    public final class Mail {
        public final Map<String, Object> fields;
        public final long id;
        public final String subject;

        private Mail(Map<String, Object> fields) {
            this.fields = fields;
            id = (Long) fields.get("id");
            subject = (String) fields.get("subject");
        }

        /** Returns the one-time code. Throws SandpostError if the email has none or several. */
        public String code() {
            return one("code", list(fields, "codes").map(code -> (String) code.get("value")).toList(), List.of());
        }

        /** Returns the email's main link. Throws SandpostError if it has none. */
        public String link() {
            return one("main link", Stream.ofNullable((String) fields.get("main_link")).toList(), links());
        }

        /**
         * Returns the link of a kind: verify, reset, login, invite, unsubscribe or other. If several links have this kind, returns the
         * main link, or else the only link with its own text. Throws SandpostError if there is no such link, or if several remain.
         */
        public String link(String kind) {
            List<Map<String, Object>> ofKind = list(fields, "links").filter(link -> link.get("kind").equals(kind)).toList();
            List<Map<String, Object>> labelled = ofKind.stream().filter(link -> !link.get("text").equals("")).toList();
            List<String> urls = (labelled.isEmpty() ? ofKind : labelled).stream().map(link -> (String) link.get("url")).toList();
            String main = (String) fields.get("main_link");
            boolean isMain = labelled.stream().anyMatch(link -> link.get("url").equals(main));
            return one("link of kind " + kind, isMain ? List.of(main) : urls, links());
        }

        private List<String> links() {
            return list(fields, "links").map(link -> link.get("kind") + " " + link.get("url")).toList();
        }

        /**
         * Returns the content of the attachment whose name matches a pattern such as "*.pdf", ignoring case. * matches any characters,
         * and ? matches one. Throws SandpostError if no attachment matches, or several do.
         */
        public byte[] attachment(String pattern) {
            String expression = ("\\Q" + pattern + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
            Pattern like = Pattern.compile(expression, Pattern.DOTALL | Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
            Map<Object, String> names = new LinkedHashMap<>();
            list(fields, "attachments").forEach(file -> names.put(file.get("id"), Objects.toString(file.get("filename"), "")));
            Map<Object, String> found = new LinkedHashMap<>(names);
            found.values().removeIf(name -> !like.matcher(name).matches());
            one("attachment " + pattern, List.copyOf(found.values()), List.copyOf(names.values()));
            return bytes("/api/messages/" + id + "/attachments/" + found.keySet().iterator().next(), Map.of());
        }

        /** Returns the HTML source. Throws SandpostError if there is none, or more than 1 MiB. */
        public String html() {
            return whole("HTML", (String) fields.get("html"), "html_truncated");
        }

        /**
         * Returns what a reader sees: the text, then the lines that the HTML adds. Throws SandpostError if there is none, or more than
         * 1 MiB.
         */
        public String text() {
            return whole("text", readable(), fields.get("text") == null ? "html_text_truncated" : "text_truncated");
        }

        /** Returns the email's bytes, as received. */
        public byte[] raw() {
            return bytes("/api/messages/" + id + "/raw", Map.of());
        }

        private String whole(String title, String text, String truncated) {
            if (text == null) throw new SandpostError(this + " has no " + title + ".");
            if (fields.get(truncated) == Boolean.TRUE)
                throw new SandpostError(this + " has more " + title + " than a response can contain: read the raw email instead.");
            return text;
        }

        /** Returns the text, then the lines that the HTML adds, or null if the email has neither. */
        private String readable() {
            String text = (String) fields.get("text");
            String added = (String) fields.get("html_text");
            if (added == null) return text;
            return text == null || text.isBlank() ? added : text.stripTrailing() + "\n\n" + added;
        }

        /** Returns the only value. Throws SandpostError if there are none or several, and lists them. */
        private String one(String what, List<String> values, List<String> there) {
            if (values.size() == 1) return values.get(0);
            if (values.size() > 1)
                throw new SandpostError(this + " has more than one " + what + ": " + String.join(", ", values));
            String has = there.isEmpty() ? "" : " It has: " + String.join(", ", there);
            throw new SandpostError(this + " has no " + what + "." + has);
        }

        /** Returns the text that a condition's pattern searches. */
        private String searched(String name) {
            if (name.equals("subject")) return subject;
            if (name.equals("from")) return Objects.toString(fields.get("from_name"), "") + " " + fields.get("from_address");
            return Objects.requireNonNullElse(readable(), "");
        }

        @Override
        public String toString() {
            return "Email " + id + " \"" + subject + "\"";
        }
    }

    /** Returns an email from a list. Reads the full email if the list item is incomplete. */
    private Mail mail(Map<String, Object> fields) {
        return new Mail(fields.containsKey("codes") ? fields : json("/api/messages/" + fields.get("id"), Map.of()));
    }

    /**
     * Returns the domain of a catch-all account, or else of the capture account. Returns the given domain if one of these accounts
     * receives its mail. Checks the oldest 200 accounts.
     */
    private String findDomain() {
        Map<String, Object> answer = json("/api/accounts", Map.of("limit", 200, "is_active", true));
        List<String> domains = domains(answer, account -> true);
        List<String> catchAlls = domains(answer, account -> account.get("is_catch_all") == Boolean.TRUE);
        List<String> captures = domains(answer, account -> account.get("is_capture") == Boolean.TRUE);
        List<String> usable = joined(catchAlls, captures);
        if (domain.isEmpty() && !usable.isEmpty()) return usable.get(0);
        // Accounts use a domain's ASCII form.
        boolean isUnknown = (Long) object(answer, "pagination").get("total") > domains.size()
            || !domain.chars().allMatch(one -> one < 128);
        boolean isTaken = !captures.isEmpty() || catchAlls.contains(domain.toLowerCase(Locale.ROOT));
        if (!domain.isEmpty() && (isTaken || isUnknown)) return domain;
        String of = domain.isEmpty() ? joined(domains, List.of("app.test")).get(0) : domain;
        String makeDomain = domains.contains(of) ? "" : "POST /api/domains {\"domain\": \"" + of + "\"} and ";
        throw new SandpostError("No account at " + url + " receives mail for any address" + (domain.isEmpty() ? "" : " on " + of)
            + ": create one with " + makeDomain + "POST /api/accounts {\"address\": \"*@" + of + "\"}"
            + (domain.isEmpty() ? ", or set SANDPOST_DOMAIN." : "."));
    }

    private static List<String> domains(Map<String, Object> accounts, Predicate<Map<String, Object>> wanted) {
        return list(accounts, "items").filter(wanted).map(account -> ((String) account.get("address")).replaceAll(".*@", "")).toList();
    }

    private static <T> List<T> joined(List<T> some, List<T> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private Map<String, Object> json(String path, Map<String, Object> query) {
        return read(bytes(path, query));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> read(byte[] answer) {
        try {
            return (Map<String, Object>) new Json(new String(answer, StandardCharsets.UTF_8)).value();
        } catch (RuntimeException cause) {
            throw new SandpostError(url + " is not a Sandpost server: it did not return JSON.", cause);
        }
    }

    private byte[] bytes(String path, Map<String, Object> query) {
        return repeat(last -> get(path, query), new Clock(PATIENCE), false);
    }

    /** Reads a list of emails as soon as it has as many as {@code count}, or when time runs out. */
    private Map<String, Object> list(Map<String, Object> query, Clock clock) {
        return read(repeat(isLast -> {
            Map<String, Object> asked = new LinkedHashMap<>(query);
            // The last check does not wait: the server always has time for it.
            if (isLast) asked.keySet().removeAll(List.of("count", "explain"));
            else asked.put("wait", Math.min(LONGEST_WAIT, (int) Math.ceil(Math.max(0, clock.left()) / 1e9)));
            return get("/api/messages", asked);
        }, clock, true));
    }

    /** A request. {@code isLast}: whether it is the last check of a wait. */
    private interface Request {
        HttpResponse<byte[]> send(boolean isLast) throws IOException, InterruptedException;
    }

    /**
     * Sends a request until the server responds. Repeats it if the server is busy (429, 503) or the connection is lost, until the
     * deadline. A wait then checks once more, and reports the refusal if the server refuses that check, too.
     */
    private byte[] repeat(Request request, Clock clock, boolean isWait) {
        Clock since = new Clock(Duration.ZERO);
        boolean isLast = false;
        while (true) {
            long pause = Duration.ofMillis(500).toNanos();
            try {
                HttpResponse<byte[]> answer = request.send(isLast);
                shared.isKnown = true;
                int status = answer.statusCode();
                if (status == 200) return answer.body();
                if (status != 429 && status != 503) throw refused(answer, "returned " + status);
                String after = answer.headers().firstValue("Retry-After").orElse("");
                long seconds = after.matches("\\d{1,9}") ? Long.parseLong(after) : 1;
                // A response without a pause would cause a storm of requests.
                pause = seconds == 0 ? Duration.ofMillis(100).toNanos() : Duration.ofSeconds(seconds).toNanos();
                // A minute without requests does not count toward a wait.
                if (isRateLimit(answer)) clock.extend(pause, PATIENCE);
                boolean isOver = pause > clock.left();
                if (isLast || isOver && !isWait)
                    throw refused(answer, "has returned " + status + " for " + time(since) + " s");
                isLast = isOver;
            } catch (IOException | IllegalArgumentException cause) {
                if (!shared.isKnown) clock.endWithin(FIRST_PATIENCE);
                if (isLast || pause > clock.left()) throw lost(cause, since);
            } catch (InterruptedException cause) {
                throw interrupted(cause);
            }
            try {
                Thread.sleep(Math.max(0, Math.min(pause, clock.left())) / 1_000_000);
            } catch (InterruptedException cause) {
                throw interrupted(cause);
            }
        }
    }

    private boolean isRateLimit(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8).contains("\"rate_limited\"");
    }

    private static long time(Clock since) {
        return Math.round(-since.left() / 1e9);
    }

    private HttpResponse<byte[]> get(String path, Map<String, Object> query) throws IOException, InterruptedException {
        String asked = query.entrySet().stream()
            .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue().toString(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
        Duration patience = Duration.ofSeconds(30 + (int) query.getOrDefault("wait", 0));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path + "?" + asked)).timeout(patience);
        if (!key.isEmpty()) request.header("X-API-KEY", key);
        return http.send(request.build(), BodyHandlers.ofByteArray());
    }

    private SandpostError lost(Exception cause, Clock since) {
        if (shared.isKnown) return new SandpostError(url + " has not responded for " + time(since) + " s.", cause);
        boolean isAddress = url.toLowerCase(Locale.ROOT).matches("https?://.*");
        String advice = isAddress ? "set SANDPOST_URL to its address" : "begin the address with http:// or https://";
        return new SandpostError("No Sandpost server answers at " + url + ": " + advice + ".", cause);
    }

    private static SandpostError interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new SandpostError("The test was interrupted.", cause);
    }

    /** Returns the error for an error response. */
    private SandpostError refused(HttpResponse<byte[]> answer, String said) {
        int status = answer.statusCode();
        if (status == 401 && key.isEmpty()) return new SandpostError(url + " needs an API key: set SANDPOST_API_KEY.");
        if (status == 401) return new SandpostError("SANDPOST_API_KEY is not a valid key for " + url + ".");
        if (status >= 300 && status < 400)
            return new SandpostError(url + " redirects to another address: set SANDPOST_URL to that address.");
        Object detail = read(answer.body()).get("detail");
        String version = answer.headers().firstValue("Sandpost-Version").orElse("older");
        String ages = version.equals(VERSION) ? "" : " Server version: " + version + ". Client version: " + VERSION + ".";
        return new SandpostError(url + " " + said + ": " + detail + "." + ages);
    }

    private static String lines(Found found) {
        long rest = found.total - Math.min(MOST_LISTED, found.mails.size());
        return found.mails.stream().limit(MOST_LISTED).map(Sandpost::line).collect(Collectors.joining())
            + (rest > 0 ? "\n  and " + rest + " more" : "");
    }

    private static String line(Map<String, Object> mail) {
        return "\n  email " + mail.get("id") + " \"" + mail.get("subject") + "\"";
    }

    /** Returns a line about an email that arrived instead, or about a refusal. */
    private static String miss(Map<String, Object> miss) {
        Object to = miss.get("to");
        if (miss.get("reply") instanceof String reply) return "\n  refused" + (to.equals("") ? "" : " for " + to) + ": " + reply;
        return line(miss) + differs(to, (List<?>) miss.get("failed"));
    }

    private static String differs(Object to, List<?> failed) {
        return " to " + to + failed.stream().map(Object::toString).collect(Collectors.joining(", ", " (differs in ", ")"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Map<String, Object> object, String name) {
        return (Map<String, Object>) object.get(name);
    }

    /** Returns the objects of a list of an object. Without the list, none. */
    @SuppressWarnings("unchecked")
    private static Stream<Map<String, Object>> list(Map<String, Object> object, String name) {
        return ((List<Map<String, Object>>) object.getOrDefault(name, List.of())).stream();
    }

    /** An email is missing or not as expected, or the server did not respond. The message says so in one sentence. */
    public static final class SandpostError extends AssertionError {
        private SandpostError(String message) {
            super(message);
        }

        private SandpostError(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reads JSON (RFC 8259), which Java does not include. Throws a RuntimeException for any other text. */
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
