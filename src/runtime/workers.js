/** The base classes of the platform. `node.js` replaces this module where the condition `node` applies. */
export { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
