/** Faults of the configuration of a project of Edgeway, which are visible before it is deployed. */
import { faultGroup } from '../fault.ts'
import { AUTH, cloudflare, mcp, modern } from '../sources.ts'

const OBJECTS = 'durable-objects/get-started/#4-configure-durable-object-bindings'
const MIGRATIONS = 'durable-objects/reference/durable-objects-migrations/'
const DATES = 'workers/configuration/compatibility-dates/'
const FLAGS = 'workers/configuration/compatibility-flags/'
const SECRETS = 'workers/configuration/secrets/'
const R2_PLACES = 'r2/reference/data-location/#jurisdictional-restrictions'
const PLACES = 'durable-objects/reference/data-location/'
const ROUTES = 'workers/configuration/routing/routes/#matching-behavior'

export const CONFIGURATION = faultGroup('breaks', {
  'worker-not-built': {
    meaning: 'The main module cannot be bundled.',
    ...cloudflare('bundling', 'workers/wrangler/bundling/'),
    fix: 'Correct the error that the message names. `npx wrangler deploy --dry-run` shows all of it.',
  },
  'worker-does-not-start': {
    meaning: 'The main module throws when it is loaded, so the deployment is refused.',
    ...cloudflare('Workers errors, 10021', 'workers/observability/errors/#validation-errors-10021'),
    fix: 'Correct what the message names: options and definitions are checked when the module is loaded.',
  },
  'worker-without-handler': {
    meaning:
      'The main module has no handler of requests, so that each request is answered with 500.',
    ...cloudflare('Workers, fetch handler', 'workers/runtime-apis/handlers/fetch/'),
    fix: 'Export the app, or a Hono app or an object with `fetch` that calls it: `export default edgeway`.',
  },
  'environment-not-inherited': {
    meaning: 'An environment does not repeat bindings or variables of the top level.',
    ...cloudflare(
      'Wrangler configuration, non-inheritable keys',
      'workers/wrangler/configuration/#non-inheritable-keys',
    ),
    fix: 'Repeat durable_objects, vars and ratelimits in the section of the environment. It inherits none of them.',
  },
  'object-not-exported': {
    meaning: 'The class of a Durable Object binding is not exported by the main module.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Export the class from the main module, that of MCP_OBJECTS as `export class McpObjects extends edgeway.Objects {}`. Or correct class_name.',
  },
  'object-binding-missing': {
    meaning: 'The app needs a Durable Object binding that is not configured.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Add the binding that the message gives, the class to new_sqlite_classes of a new migration, and its export to the main module: `export class McpObjects extends edgeway.Objects {}` for MCP_OBJECTS, and the class of a feature from its module.',
  },
  'object-not-bound': {
    meaning: 'A feature of the app has no Durable Object binding, so that it is not served.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Add the binding that the message gives, the class to new_sqlite_classes of a new migration, and its export to the main module: `export class McpObjects extends edgeway.Objects {}`. Or remove the feature.',
    loses: 'all',
  },
  'object-binding-wrong-class': {
    meaning: 'A Durable Object binding that Edgeway reads has another class.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Set class_name to the class of the binding: for MCP_OBJECTS one that the main module exports as `export class McpObjects extends edgeway.Objects {}`, otherwise the one that the message gives.',
  },
  'object-class-lacks-server': {
    meaning:
      'The class of MCP_OBJECTS has the objects of one server of the Worker, and another server has objects too.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: "Export the class of all servers: `import { objectsOf } from 'edgeway'`, and `export class McpObjects extends objectsOf(edgeway, docs) {}`.",
  },
  'objects-old-form': {
    meaning:
      'The project has a Durable Object class for each kind of objects, which one class has replaced.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Remove the exports and bindings of the former classes. Export one: `export class McpObjects extends edgeway.Objects {}`; of several servers, `… extends objectsOf(edgeway, docs) {}`; of an agent, `… extends MyMCP.serve(\'/mcp\').Objects {}`. Bind it: `{ "name": "MCP_OBJECTS", "class_name": "McpObjects" }`. Create it by a new migration: `{ "tag": "v2", "new_sqlite_classes": ["McpObjects"] }`. Deployed classes belong in its deleted_classes, which deletes what they store.',
  },
  'servers-share-name': {
    meaning:
      'Two servers of the Worker have the same name, to which ids, handles, secret URLs and notifications are bound.',
    ...cloudflare('Durable Objects, bindings', OBJECTS),
    fix: 'Give each server a name of its own: the option name of createServer, or the option audience of createEdgeway. For createMcpHandler, the option route or audience.',
    loses: 'all',
  },
  'migration-missing': {
    meaning: 'No migration creates a bound Durable Object class, so the deployment is refused.',
    ...cloudflare('Durable Objects migrations', MIGRATIONS),
    fix: 'Append a migration with a new tag and the class in new_sqlite_classes.',
  },
  'migration-not-sqlite': {
    meaning: 'A class of Edgeway is created without SQLite, which its objects need.',
    ...cloudflare('Durable Objects migrations, create migration', MIGRATIONS),
    fix: 'Name the class in new_sqlite_classes, not in new_classes. After a deployment, delete the class by a migration and create it under another name.',
  },
  'migration-class-removed': {
    meaning: 'A bound Durable Object class was deleted, renamed or transferred by a migration.',
    ...cloudflare('Durable Objects migrations', MIGRATIONS),
    fix: 'Bind the class under its new name, or remove the binding of a deleted class.',
  },
  'migration-class-not-exported': {
    meaning:
      'A Durable Object class that a migration creates is not exported by the main module, so the deployment is refused.',
    ...cloudflare('Durable Objects migrations, delete migration', MIGRATIONS),
    fix: 'Export the class. To delete it with all that its objects store, append a migration with the class in deleted_classes.',
  },
  'migration-invalid': {
    meaning: 'The migrations contradict each other, so the deployment is refused.',
    ...cloudflare('Durable Objects migrations', MIGRATIONS),
    fix: 'Give each migration a tag of its own, create each class once, and rename or delete only classes that exist. Never change a migration that has been deployed.',
  },
  'migration-order': {
    meaning:
      'The tags of the migrations are not in order. A migration before one that has been deployed is never applied.',
    ...cloudflare('Durable Objects migrations', MIGRATIONS),
    fix: 'Append each new migration after all others.',
    degrades: 'all',
  },
  'compatibility-date-invalid': {
    meaning: 'The compatibility date is missing, no date, or in the future.',
    ...cloudflare('compatibility dates', DATES),
    fix: 'Set compatibility_date to the date of today, as year-month-day.',
  },
  'compatibility-date-old': {
    meaning: 'The compatibility date is older than what Edgeway needs of the platform.',
    ...cloudflare('compatibility dates', DATES),
    fix: 'Set compatibility_date to a date of this year, and test the rest of the Worker with it.',
  },
  'compatibility-flags-refused': {
    meaning: 'The runtime does not start with the compatibility flags.',
    ...cloudflare('compatibility flags', FLAGS),
    fix: 'Correct the flag that the message names, or update wrangler if the flag is new.',
  },
  'request-signal-missing': {
    meaning: 'The compatibility flag enable_request_signal is missing.',
    ...cloudflare('compatibility flags, enable_request_signal', FLAGS),
    fix: 'Add "enable_request_signal" to compatibility_flags. Without it, handlers go on when a client disconnects.',
    degrades: 'all',
  },
  'public-fetch-missing': {
    meaning:
      'The compatibility flag global_fetch_strictly_public is missing, so URLs that clients name reach hosts of your own zone.',
    ...cloudflare('compatibility flags, global_fetch_strictly_public', FLAGS),
    fix: 'Add "global_fetch_strictly_public" to compatibility_flags.',
    degrades: 'all',
  },
  'async-hooks-missing': {
    meaning: 'The Worker imports node:async_hooks, and no compatibility flag provides it.',
    ...cloudflare(
      'Node.js compatibility, AsyncLocalStorage',
      'workers/runtime-apis/nodejs/asynclocalstorage/',
    ),
    fix: 'Add "nodejs_als" or "nodejs_compat" to compatibility_flags. edgeway/context, edgeway/sdk and edgeway/agents need it.',
  },
  'secret-in-configuration': {
    meaning: 'A secret is a variable of the configuration, which is checked in and visible.',
    ...cloudflare('secrets', SECRETS),
    fix: 'Remove it from vars, replace its value, and set it with `npx wrangler secret put NAME`. For development it belongs in .dev.vars.',
    loses: 'all',
  },
  'secret-checked-in': {
    meaning: 'A file with local secrets is under version control, or not ignored.',
    ...cloudflare('secrets, local development', SECRETS),
    fix: 'Add the file to .gitignore, remove it with `git rm --cached`, and replace the secrets if it was ever committed.',
    loses: 'all',
  },
  'secret-too-short': {
    meaning: 'EDGEWAY_SECRET has less than 32 characters.',
    ...cloudflare('secrets', SECRETS),
    clause: 'Edgeway refuses short secrets',
    fix: 'Create one with `openssl rand -base64 32`.',
  },
  'origin-missing': {
    meaning:
      'The server has authorization and no origin, so every request at the deployed server is refused.',
    ...mcp('authorization, canonical server URI', `${AUTH}#canonical-server-uri`),
    fix: 'Set the variable EDGEWAY_ORIGIN to the origin that people paste, such as "https://mcp.example.com", or the option origin.',
  },
  'origin-invalid': {
    meaning: 'The origin of the server is not an https origin.',
    clause: 'MCP, authorization, communication security',
    source: modern(`${AUTH}/security-considerations#communication-security`),
    fix: 'Write it as "https://mcp.example.com", without a path or a slash at the end. "development" is for your computer alone: pass it to wrangler dev with --var EDGEWAY_ORIGIN:development.',
  },
  'origin-not-routed': {
    meaning: 'The origin of the server is a host that does not lead to this Worker.',
    ...cloudflare('routes', ROUTES),
    fix: 'Use the host of the route or custom domain, or add a route for the host of the origin.',
  },
  'route-incomplete': {
    meaning: 'No route leads to some paths of the server.',
    ...cloudflare('routes, matching behavior', ROUTES),
    fix: 'Let the route end in "/*", or use a custom domain: metadata and sign-in have paths of their own.',
  },
  'assets-hide-server': {
    meaning: 'Static assets answer the navigation of a browser to the pages of the server.',
    ...cloudflare(
      'static assets, not_found_handling and run_worker_first',
      'workers/static-assets/routing/single-page-application/',
    ),
    fix: 'Set run_worker_first to true or to patterns with all paths of the server, or remove not_found_handling.',
  },
  'jurisdiction-unknown': {
    meaning:
      'EDGEWAY_JURISDICTION is not a jurisdiction of the platform, so every request that needs an object fails.',
    ...cloudflare('Durable Objects, data location', PLACES),
    fix: 'Set EDGEWAY_JURISDICTION to "eu", "us", "fedramp" or "fedramp-high", or remove it.',
  },
  'jurisdictions-differ': {
    meaning:
      'The objects, the bucket of files and EDGEWAY_JURISDICTION do not have the same jurisdiction, so data is stored outside one of them.',
    ...cloudflare('R2, jurisdictional restrictions', R2_PLACES),
    fix: 'Give all servers and the bucket the same one: the option jurisdiction of createEdgeway or, without the option, EDGEWAY_JURISDICTION, and jurisdiction in r2_buckets. That of a bucket cannot change: create another with `npx wrangler r2 bucket create NAME --jurisdiction eu`, or remove the bucket, so that files are stored in the objects. Remove EDGEWAY_JURISDICTION where it differs from the option.',
    loses: 'all',
  },
  'scope-without-authorization': {
    meaning: 'A definition needs a scope, and the server has no authorization that grants scopes.',
    clause: 'MCP, authorization, runtime insufficient scope errors',
    source: modern(`${AUTH}#runtime-insufficient-scope-errors`),
    fix: 'Pass auth to createEdgeway, or remove the scopes of the definition.',
    loses: 'all',
  },
  'worker-loader-missing': {
    meaning: 'code() has no Worker loader, so that its tool answers every call with an error.',
    ...cloudflare('Dynamic Workers, getting started', 'dynamic-workers/getting-started/'),
    fix: 'Add [[worker_loaders]] with the binding that the message names, in each environment. Or name another one in code({ binding }).',
    loses: 'all',
  },
  'rate-limit-binding-invalid': {
    meaning: 'A rate limiting binding does not agree with the rate limits of the app.',
    ...cloudflare('rate limiting binding', 'workers/runtime-apis/bindings/rate-limit/'),
    fix: 'Pass rateLimits() to features. Name the binding after one of its classes, with the period of the class and a namespace_id of its own.',
    degrades: 'all',
  },
})
