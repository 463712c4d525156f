FROM node:24-bookworm-slim AS base
WORKDIR /app
# Without the folder of a workspace, npm leaves out what that needs: what runs of the packages is in the bundle.
COPY package.json package-lock.json ./

# What runs in production: neither the tools nor the embedded PostgreSQL, for which DATABASE_URL stands in. No package
# that is left has anything to compile, so none may run a script of its own.
FROM base AS dependencies
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM base AS build
COPY packages ./packages
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY build ./build
COPY src ./src
COPY migrations ./migrations
# What the pages at /docs are made of.
COPY docs/guides ./docs/guides
COPY docs/reference ./docs/reference
COPY docs/glossary.md ./docs/
COPY CHANGELOG.md README.md openapi.json ./
# A checkout made under a strict umask would otherwise be unreadable to the image's user.
RUN npm run build && find src -type f ! -name '*.sql' -delete && chmod -R a+rX package.json migrations src

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DRAIN_SECONDS=5 REQUESTS_PER_MINUTE=1200
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/migrations ./migrations
# The SQL of functions, views and triggers.
COPY --from=build /app/src ./src
COPY --from=build /app/dist ./dist

# Where `notify` remembers how far it has come: a new volume that is mounted there belongs to the image's user too.
RUN install --directory --owner=node --group=node /state

# Everything in /app belongs to root: the service can read it and not change it.
USER node
EXPOSE 3000

# /livez and not /readyz: what acts on this check replaces the container, which does not bring a lost database back and
# would cut off a service that is shutting down in order. Whoever distributes requests asks /readyz.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# No shell in between, so that signals reach the service. Other commands: `docker run IMAGE migrate`, `… import -`.
ENTRYPOINT ["node", "dist/commands/cli.js"]
CMD ["serve"]
