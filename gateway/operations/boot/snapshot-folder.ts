import { join } from 'node:path';

export const snapshotFolder = (data: string): string => join(data, 'snapshots');
export const SNAPSHOT_NAME = /^farm-(\d{8}T\d{6}Z)(?:-\d+)?\.snapshot$/;
