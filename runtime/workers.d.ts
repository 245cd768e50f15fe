export { DurableObject } from 'cloudflare:workers'
