# One image for the service and its commands. Built with everything, shipped with what runs, as a user who owns none of it.
# Alpine has no glibc, so the embedded servers are left out: a container always needs DATABASE_URL.

FROM node:24-alpine AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
# with the optional packages: the compiler's own binary is one
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
RUN npm run build
RUN npm prune --ignore-scripts --omit=dev --omit=optional

FROM node:24-alpine
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY sql ./sql
USER node
EXPOSE 8080 8081 8082
# alive; whether it can answer is /readyz, and for whoever sends requests to it to ask
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8081/healthz"]
CMD ["node", "dist/main.js"]
