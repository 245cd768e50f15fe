/**
 * A mistake of the author or of the deployment, such as a missing binding. Its message is a text of this package
 * without data of a caller, so that telemetry writes it in a deployment too.
 */
export class ConfigurationError extends TypeError {}
