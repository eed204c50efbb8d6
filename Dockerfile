# One image for the service and its commands. Built with everything, shipped with what runs: Node and JavaScript, as a user who owns none of
# it but the folder of the archive, without a shell, npm or a package manager. The embedded servers are left out: a container always needs DATABASE_URL.

FROM node:24-alpine AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
# with the optional packages: the compiler's own binary is one; another draws pictures, on the C library of the image that runs
RUN npm ci --ignore-scripts --libc=glibc
COPY tsconfig.json ./
COPY src ./src
RUN npm run build
# what the project itself calls optional is the embedded servers
RUN npm pkg delete optionalDependencies && npm prune --ignore-scripts --omit=dev --libc=glibc
COPY sql ./sql
# a clone made under umask 077 has files that only their owner may read, and the user of the image owns none
RUN chmod -R a+rX package.json node_modules dist sql
# the only folder that the service writes to: a new volume that is mounted there gets its owner
RUN mkdir archive

FROM gcr.io/distroless/nodejs24-debian13:nonroot
ENV NODE_ENV=production
# where this image has its only program
ENV PATH=/nodejs/bin
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/sql ./sql
COPY --from=build --chown=nonroot:nonroot /app/archive ./archive
USER nonroot
EXPOSE 8080 8081 8082
# alive; whether it can answer is /readyz, and for whoever sends requests to it to ask
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(process.argv[1]).then(({ ok }) => process.exit(ok ? 0 : 1))", "http://127.0.0.1:8081/healthz"]
# commands name node themselves, as in `docker compose exec worker node dist/cli.js status`
ENTRYPOINT []
CMD ["node", "dist/cli.js", "start"]
