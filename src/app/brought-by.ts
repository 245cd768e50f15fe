/** Which feature of this package brings what an app may lack, for the error that names it. Another feature may bring more. */

export const BROUGHT_BY = {
  /** Members of the context. */
  context: {
    elicit: 'asks',
    sample: 'asks',
    listRoots: 'asks',
    step: 'asks',
    sleep: 'asks',
    waitFor: 'asks',
    webhook: 'asks',
    state: 'state',
    file: 'files',
    files: 'files',
    page: 'files',
    upload: 'files',
    emit: 'events',
    notify: 'changes',
    connect: 'connections',
  },
  /** Members of `edgeway`. */
  api: {
    admin: 'admin',
    events: 'events',
    notify: 'changes',
    tasks: 'tasks',
    timeline: 'timeline',
  },
  /** Methods that are served outside of dispatch. */
  methods: { 'subscriptions/listen': 'changes' },
  /** Members of the config of a tool. */
  tool: {
    task: 'tasks',
    files: 'files',
    limitClass: 'rateLimits',
    ui: 'apps',
    connection: 'connections',
  },
} as const
