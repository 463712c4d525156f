/*
 * The arrows of the design: who may import whom. Imports of types count, for what a file knows matters here, not only
 * what it runs.
 *
 *   commands → app → features/* → cache, http, read-models, schemas, database
 *   commands → doctor, packages/conformance, packages/example-requests;  doctor → read-models, schemas, database
 *   commands → import, indexer, packages/sample-data;  import, indexer → ingest;  ingest → read-models, schemas, database
 *   read-models → schemas, database; from outside, features read, the ingest maintains, the doctor checks
 *   commands → app, process;  process → packages/embedded-postgres;  commands → observability → indexer, database, and packages that are for building;  http, cache ↔ each other, packages/strict-http, observability, data version, schemas, database;  database → schemas;  schemas → nothing
 *   packages/explorer → packages/client → the OpenAPI document alone;  packages/docs → packages/example-requests, two files of packages/strict-http
 */

/** What belongs to no room: it knows nothing of the service. */
const EVERYBODYS =
  '^src/(abort-context|abort-signals|fetch-ports|operator-error|operator-text|single-flight|turns)[.]ts$'

const allow = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: [to, EVERYBODYS].flat() },
})

/** What is stored of followed chains. */
const STORED_CHAINS = '^src/indexer/store/'

/** What follows a chain through failures of nodes and of the database, and knows all that it consists of. */
const CHAIN_WORKER = '^src/indexer/chain-worker[.]ts$'

/** Packages that are for tests, measurements and checks only. */
const TOOLS =
  '^(@testcontainers/|testcontainers|vitest|@vitest/|fast-check|autocannon|playwright|playwright-core|drizzle-kit|knip|' +
  'dependency-cruiser|@redocly/|@biomejs/|esbuild|tsx|typescript|openapi-typescript)($|/)'

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one file: move what they share down.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'features-are-islands',
      comment: 'What two features share moves down one level, never sideways.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    allow(
      'features-stand-on-the-floor',
      '^src/features/',
      [
        '^src/features/',
        '^src/(http|cache)/',
        '^src/read-models/[^/]+/(read|tables)[.]ts$',
        '^src/schemas/',
        '^src/database/',
      ],
      'A feature uses HTTP plumbing, what read models have to read, their tables, shared schemas and the database, nothing else.',
    ),
    allow(
      'http-knows-no-feature',
      '^src/((http|cache)/|observability/[^/]+$)',
      [
        '^src/(http|cache)/',
        '^src/observability/[^/]+$',
        '^src/read-models/data-version/read[.]ts$',
        '^src/schemas/',
        '^src/database/',
      ],
      'HTTP plumbing serves every feature and knows none. Of read models it asks which version of the data there is.',
    ),
    allow('schemas-know-nothing', '^src/schemas/', '^src/schemas/', 'Schemas are the bottom.'),
    allow(
      'database-knows-schemas-only',
      '^src/database/',
      ['^src/database/', '^src/schemas/'],
      'Tables and connections lie below everything but the schemas.',
    ),
    {
      name: 'buildings-know-no-service',
      comment: 'What these packages do is the same for every service: they could stand anywhere, with their tests.',
      severity: 'error',
      from: { path: '^packages/(embedded-postgres|strict-http)/' },
      to: { path: '^(src|packages|examples)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'http-is-for-those-who-serve',
      comment: 'Facts, what is derived from them and what writes them are the same without HTTP.',
      severity: 'error',
      from: { path: '^src/(schemas|database|read-models|ingest|import|indexer|doctor)/' },
      to: { path: '^packages/strict-http/' },
    },
    {
      name: 'embedded-has-one-door',
      comment: 'Whether the server is an embedded one matters where the database is opened.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/process/(embedded-database|database-access)[.]ts$' },
      to: { path: '^packages/embedded-postgres/' },
    },
    allow(
      'read-models-know-the-database',
      '^src/read-models/([^/]+)/',
      ['^src/read-models/$1/', '^src/read-models/(steps|named-statements)[.]ts$', '^src/schemas/', '^src/database/'],
      'A read model is derived from facts, and knows neither who writes those nor who reads it.',
    ),
    allow(
      'import-is-another-door',
      '^src/import/',
      ['^src/import/', '^src/ingest/', '^src/read-models/steps[.]ts$', '^src/schemas/', '^src/database/'],
      'Data goes in without the HTTP service.',
    ),
    allow(
      'chains-are-another-door',
      '^src/indexer/(?!chain-worker[.]ts$)',
      ['^src/indexer/', '^src/ingest/', '^src/schemas/'],
      'What a chain says becomes records, and records are written by the ingest.',
    ),
    allow(
      'the-worker-knows-chains',
      CHAIN_WORKER,
      ['^src/indexer/', '^src/database/connection/database-errors[.]ts$', '^src/schemas/'],
      'It tells failures of the database from those of nodes, and writes nothing itself.',
    ),
    {
      name: 'only-commands-start-workers',
      comment: 'A chain is read without knowing who keeps at it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/commands/' },
      to: { path: CHAIN_WORKER },
    },
    {
      name: 'chains-need-types-of-records-only',
      comment: 'Blocks are read without a database: only what is stored of chains runs something of the ingest.',
      severity: 'error',
      from: { path: '^src/indexer/', pathNot: STORED_CHAINS },
      to: { path: '^src/ingest/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'protocols-are-registered',
      comment: 'What follows a chain does not know by which protocol campaigns are there.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/indexer/protocol/(protocols[.]ts$|[^/]+/)' },
      to: { path: '^src/indexer/protocol/(?!contracts/)[^/]+/' },
    },
    {
      name: 'chains-are-read-without-a-store',
      comment: 'What reads a chain is told what is stored; it does not know where.',
      severity: 'error',
      from: { path: '^src/indexer/', pathNot: [STORED_CHAINS, CHAIN_WORKER] },
      to: { path: STORED_CHAINS },
    },
    {
      name: 'only-commands-follow-chains',
      comment: 'Chains are followed by a process of their own, beside the service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(indexer|commands|observability/chains)/' },
      to: { path: '^src/indexer/' },
    },
    allow(
      'ingest-knows-no-source',
      '^src/ingest/',
      [
        '^src/ingest/',
        '^src/read-models/(steps|named-statements|[^/]+/maintain)[.]ts$',
        '^src/schemas/',
        '^src/database/',
      ],
      'Facts are applied the same way wherever they come from, and read models maintained with them.',
    ),
    allow(
      'doctor-looks-at-the-database',
      '^src/doctor/',
      ['^src/doctor/', '^src/read-models/[^/]+/check[.]ts$', '^src/schemas/', '^src/database/'],
      'Of derived data, doctor knows how it is made, and not who writes it.',
    ),
    allow(
      'settings-know-schemas-only',
      '^src/(config|settings|settings-file|misspelt-settings)[.]ts$',
      ['^src/schemas/', '^src/(settings|settings-file|misspelt-settings)[.]ts$'],
      'Settings are read before anything else is there.',
    ),
    allow(
      'tracing-listens',
      '^src/observability/traces[.]ts$',
      ['^src/database/connection/query-tracing-channel[.]ts$'],
      'What is traced does not know that it is; of the database there are the names of what it is asked.',
    ),
    {
      name: 'traces-are-loaded-on-demand',
      comment: 'Traces are a bundle of their own, which is read only where there are any.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/observability/traces[.]ts$' },
      to: { path: '^src/observability/traces[.]ts$', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'only-traces-know-opentelemetry',
      comment: 'Its packages are in the bundle of the traces alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/observability/traces[.]ts$' },
      to: { path: '(^|/)@opentelemetry/' },
    },
    {
      name: 'nothing-starts-a-command',
      comment: 'Commands are where processes begin.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/commands/' },
      to: { path: '^src/commands/' },
    },
    allow(
      'chains-are-observed',
      '^src/observability/chains/',
      ['^src/observability/chains/', '^src/indexer/'],
      'Metrics and logs of followed chains know what happens to these, and nothing of the service.',
    ),
    allow(
      'processes-know-no-command',
      '^src/process/',
      ['^src/process/', '^src/(config|settings)[.]ts$', '^src/(schemas|database)/', '^src/observability/'],
      'How a process starts, listens and shuts down is the same for several commands.',
    ),
    {
      name: 'only-commands-run-processes',
      comment: 'What belongs to a process is none of the business of what runs in it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(commands|process)/' },
      to: { path: '^src/process/' },
    },
    {
      name: 'only-commands-build-the-app',
      comment: 'The app is put together by a command, and by nothing that is part of it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/commands/' },
      to: { path: '^src/app[.]ts$' },
    },
    {
      name: 'queries-stand-in-repositories',
      comment: 'Drizzle is for repositories and their rows, the ways in, read models, the database and the commands.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/features/[^/]+/[^/]+-(repository|rows)[.]ts$',
          '^src/(import|ingest|read-models|database|commands)/',
        ],
      },
      to: { path: '(^|/)drizzle-orm($|/)' },
    },
    {
      name: 'the-client-knows-the-document-alone',
      comment: 'What the client knows of the service is what everybody may know.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: ['^packages/client/src/', '(^|/)openapi-fetch($|/)'] },
    },
    {
      name: 'the-explorer-asks-by-the-client',
      comment: 'What the explorer knows of the service is what the client gives everybody.',
      severity: 'error',
      from: { path: '^packages/explorer/src/' },
      to: { pathNot: ['^packages/(explorer|client)/src/', '^packages/look/', '(^|/)preact(-iso)?($|/)'] },
    },
    {
      name: 'the-docs-know-the-document-alone',
      comment:
        'The documentation shows the OpenAPI document and Markdown files, and searches them; with the service it shares how HTML is written and what of a document is needed.',
      severity: 'error',
      from: { path: '^packages/docs/src/' },
      to: {
        pathNot: [
          '^packages/docs/src/',
          '^packages/example-requests/src/',
          '^packages/strict-http/src/(markup|openapi/prune-components)[.]ts$',
          '(^|/)(marked|minisearch|stemmer)($|/)',
          '^(node:)?(fs/promises|http|path)$',
        ],
      },
    },
    {
      name: 'conformance-knows-what-everybody-may',
      comment: 'A deployment is asked from outside: what it promises stands in its own document.',
      severity: 'error',
      from: { path: '^packages/conformance/src/' },
      to: {
        path: '^(src|packages|examples)/',
        pathNot: ['^packages/conformance/src/', '^packages/example-requests/src/resolve-references[.]ts$'],
      },
    },
    {
      name: 'tools-for-agents-ask-operations',
      comment:
        'What agents are told is what everybody may ask; of the client there are the types, the amounts and the traits of variants.',
      severity: 'error',
      from: { path: '^packages/mcp/src/' },
      to: {
        path: '^(src|packages|examples)/',
        pathNot: '^packages/(mcp/src/|client/src/(client|incentive-traits)[.]ts$)',
      },
    },
    {
      name: 'tools-for-agents-are-loaded-on-demand',
      comment: 'They are a bundle of their own, which is read only where an agent asks.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^packages/mcp/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'example-requests-know-the-document-alone',
      comment: 'What can be asked stands in the OpenAPI document.',
      severity: 'error',
      from: { path: '^packages/example-requests/src/' },
      to: { pathNot: '^packages/example-requests/src/' },
    },
    {
      name: 'sample-data-knows-its-facts',
      comment: 'Sample data is records that anybody could have written; what they have to be, the import says.',
      severity: 'error',
      from: { path: '^packages/sample-data/src/' },
      to: { path: '^(src|packages|examples)/', pathNot: '^packages/sample-data/' },
    },
    allow(
      'the-demo-uses-commands',
      '^demo/',
      [
        '^src/indexer/protocol/(contracts/abi-functions|boost-core/(core-events|actions|incentives/[a-z0-9-]+)|time-based/time-based-events)[.]ts$',
        '^src/config[.]ts$',
      ],
      'The demo runs the service as anybody would. Of its sources it uses how events and functions are declared.',
    ),
    {
      name: 'the-service-needs-no-client',
      comment: 'The packages are for those who ask; the service runs without them.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: ['^(packages|examples)/', '(^|/)reward-campaigns-client($|/)'],
        pathNot:
          '^packages/(strict-http/src/.*|conformance/src/conformance|embedded-postgres/src/embedded-postgres|example-requests/src/request-files|mcp/src/mcp|sample-data/src/sample-data)[.]ts$',
      },
    },
    {
      name: 'only-commands-use-packages',
      comment: 'A package that asks the service, or makes data for it, is behind a command.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/commands/' },
      to: { path: '^packages/', pathNot: '^packages/(embedded-postgres|strict-http)/' },
    },
    {
      name: 'production-needs-no-tests',
      comment: 'What runs in production stands without tests, measurements and the demo.',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src)/' },
      to: { path: '^(test|bench|demo)/' },
    },
    {
      name: 'production-needs-no-tools',
      comment: 'What runs in production imports no tool of development.',
      severity: 'error',
      from: { path: '^(src|packages/(embedded-postgres|strict-http)/src)/' },
      to: { path: [`node_modules/${TOOLS.slice(1)}`, TOOLS] },
    },
    {
      name: 'production-needs-dependencies-only',
      comment:
        'An import of a development dependency works until the first install without them; traces are bundled with theirs.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/observability/traces[.]ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
