# Sandpost in one image. Its argument is the role: start (all in one, the default), api, smtp, operator, …
#   docker build -t sandpost:dev . && docker run -p 8080:8080 -p 2525:2525 sandpost:dev

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages hold Node itself, which the image has. Types and source maps are for those who develop.
RUN npm ci --omit=dev --omit=optional --no-update-notifier \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-update-notifier
COPY . .
RUN npm run build

FROM node:24-slim
LABEL org.opencontainers.image.title="Sandpost" \
      org.opencontainers.image.description="An email sandbox for a whole team" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY . .
COPY --from=build /app/api/web/dist api/web/dist
COPY --from=build /app/dist dist
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/compiled \
    SANDPOST_HTTP_HOST=0.0.0.0 \
    SANDPOST_SMTP_HOST=0.0.0.0 \
    SANDPOST_DATA_DIR=/data
# `kubectl exec deploy/… -- sandpost users list` finds the program by its name.
RUN ln -s /app/bin/sandpost /usr/local/bin/sandpost
# Number instead of a name: Kubernetes cannot check that a name is not root.
RUN install -d -o 10001 -g 10001 /data compiled
USER 10001:10001
# Compiles once, for this user, the code that Node compiles at a start: the root file system may be read-only. `start` runs
# until it listens; the others end at once, for there is no store. Port 0 is a free one: a build may share the machine's network.
RUN export SANDPOST_DATA_DIR=/tmp/sandpost SANDPOST_HTTP_PORT=0 SANDPOST_SMTP_PORT=0 SANDPOST_OPS_PORT=0 \
 && mkdir /tmp/sandpost && (bin/sandpost start >/tmp/sandpost/log & sandpost=$! \
 && until grep -q '"what":"smtp"' /tmp/sandpost/log; do kill -0 $sandpost && sleep 0.2 || exit 1; done \
 && kill $sandpost && wait $sandpost) \
 && for role in api smtp operator; do \
      SANDPOST_MONGODB_URI='mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=1' SANDPOST_REDIS_URL=redis://127.0.0.1:9 \
      bin/sandpost $role >/tmp/sandpost/log 2>&1 || true; \
    done \
 && rm -r /tmp/sandpost
VOLUME /data
EXPOSE 8080 2525 9090
ENTRYPOINT ["/app/bin/sandpost"]
CMD ["start"]
