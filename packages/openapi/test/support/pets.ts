/** A small description: tags, operations with and without an id, and a deprecated one. */
export const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
export const pets = {
  openapi: '3.0.3',
  info: { title: ' Pet  Store! ', version: '1.2.3' },
  servers: [{ url: 'https://api.example/v1/' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', tags: ['read'], summary: 'List pets' },
      post: { operationId: 'pets/create one', summary: 'Create', description: 'Long.' },
    },
    '/pets/{id}': {
      parameters: [id],
      get: { operationId: 'pets/get', tags: ['read'] },
      put: { operationId: 'pets_get' },
      delete: { tags: ['admin'], deprecated: true },
      patch: {},
    },
    '/admin/{id}/keys': { head: { tags: ['admin'], 'x-internal': true } },
  },
}
