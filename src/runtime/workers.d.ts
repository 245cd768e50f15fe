export { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
