/** The base class of Durable Objects. `node.js` replaces this module where the condition `node` applies. */
export { DurableObject } from 'cloudflare:workers'
