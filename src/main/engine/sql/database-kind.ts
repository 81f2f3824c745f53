export type DatabaseKind = 'sqlite' | 'postgres' | 'mysql'
