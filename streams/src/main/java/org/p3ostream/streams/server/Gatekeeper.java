package org.p3ostream.streams.server;

import io.vertx.core.Handler;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.config.LoopbackAddress;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.web.WebAsset;

/**
 * Lets in who may ask.
 *
 * <p>On loopback the {@code Host} header has to name this host: a page from elsewhere whose name
 * was made to resolve to 127.0.0.1 (DNS rebinding) is turned away. A page from elsewhere may lead
 * here, and ask nothing. With a token, every answer but {@code /health/*} and the static files asks
 * for it, as {@code Authorization: Bearer} or as a cookie that {@code POST /sign-in} or {@code
 * /?token=} exchange it for. The cookie is not the token, and no answer holds either.
 */
final class Gatekeeper implements Handler<RoutingContext> {
  static final String SIGN_IN = "/sign-in";
  private static final String COOKIE_PREFIX = "p3o-session-";
  private static final String BEARER = "Bearer ";

  private final boolean loopback;
  private final boolean secure;
  private final @Nullable String token;
  private final @Nullable String session;
  private final String cookie;

  Gatekeeper(StreamsConfig config) {
    this.loopback = LoopbackAddress.is(config.host());
    this.secure = config.tlsCertificatePath() != null;
    this.token = config.token();
    this.session = token == null ? null : derived(token, "session");
    this.cookie = COOKIE_PREFIX + (token == null ? "" : derived(token, "cookie").substring(0, 8));
  }

  @Override
  public void handle(RoutingContext context) {
    if (loopback && !namesThisHost(context.request())) {
      Json.answer(
          context,
          403,
          new Json.Reason("the Host header must name this host: localhost, 127.0.0.1 or [::1]"));
      return;
    }
    if (isAskedByAnotherSite(context.request())) {
      Json.answer(context, 403, new Json.Reason("a page from elsewhere may not ask"));
      return;
    }
    String path = context.normalizedPath();
    if (token == null
        || path.startsWith("/health/")
        || path.startsWith("/assets/")
        || path.equals(SIGN_IN)) {
      context.next();
      return;
    }
    String typed = path.equals("/") ? context.request().getParam("token") : null;
    if (typed != null) {
      admit(context, typed);
    } else if (matches(token, bearer(context)) || matches(session, cookie(context))) {
      context.next();
    } else {
      refuse(context, path.equals("/"));
    }
  }

  /**
   * A page from elsewhere cannot read an answer, but could keep the server busy with questions.
   *
   * <p>Source: W3C Fetch Metadata Request Headers.
   */
  private static boolean isAskedByAnotherSite(HttpServerRequest request) {
    return "cross-site".equals(request.getHeader("Sec-Fetch-Site"))
        && !"navigate".equals(request.getHeader("Sec-Fetch-Mode"));
  }

  /** A client that names no host at all is no browser. */
  private static boolean namesThisHost(HttpServerRequest request) {
    HostAndPort asked = request.authority();
    return asked == null ? request.getHeader("Host") == null : LoopbackAddress.is(asked.host());
  }

  /** {@code POST /sign-in} with a form field {@code token}. */
  void signIn(RoutingContext context) {
    String type = context.request().getHeader("Content-Type");
    if (type == null || !type.startsWith("application/x-www-form-urlencoded")) {
      Json.answer(context, 415, new Json.Reason("must be a form with the field token"));
      return;
    }
    context.request().setExpectMultipart(true);
    context
        .request()
        .endHandler(
            end -> {
              String typed = context.request().getFormAttribute("token");
              admit(context, typed == null ? "" : typed);
            });
  }

  private void admit(RoutingContext context, String typed) {
    if (session != null && matches(token, typed.strip())) {
      context
          .response()
          .addCookie(
              Cookie.cookie(cookie, session)
                  .setPath("/")
                  .setHttpOnly(true)
                  .setSecure(secure)
                  .setSameSite(CookieSameSite.LAX)); // a link from elsewhere may lead here
      context.response().setStatusCode(303).putHeader("Location", "/").end();
    } else {
      askAgain(context);
    }
  }

  private static void askAgain(RoutingContext context) {
    context.response().setStatusCode(401);
    MetricsServer.servePage(
        context, WebAsset.SIGN_IN_HTML.text().replace("role=\"alert\" hidden", "role=\"alert\""));
  }

  private static void refuse(RoutingContext context, boolean page) {
    context.response().putHeader("WWW-Authenticate", "Bearer realm=\"p3o\"");
    if (page) {
      context.response().setStatusCode(401);
      MetricsServer.serve(context, WebAsset.SIGN_IN_HTML);
    } else {
      Json.answer(
          context, 401, new Json.Reason("streams.token is required, as Authorization: Bearer"));
    }
  }

  private static @Nullable String bearer(RoutingContext context) {
    String header = context.request().getHeader("Authorization");
    return header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? header.substring(BEARER.length())
        : null;
  }

  private @Nullable String cookie(RoutingContext context) {
    Cookie held = context.request().getCookie(cookie);
    return held == null ? null : held.getValue();
  }

  /** In a time that does not tell how much of a guess was right. */
  private static boolean matches(@Nullable String secret, @Nullable String given) {
    return secret != null && given != null && MessageDigest.isEqual(digest(secret), digest(given));
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * What a browser keeps is derived from the token, so that it outlives a restart of the server;
   * and so is its name, for cookies do not tell ports of a host apart: servers with different
   * tokens would sign each other's visitors out.
   */
  private static String derived(String token, String purpose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of()
          .formatHex(mac.doFinal(("p3o-stream " + purpose).getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }
}
