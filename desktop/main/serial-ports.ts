import type { SerialPortFound } from '../ipc.ts';

/** Serial ports of this machine; none where they cannot be listed. */
export async function serialPorts(): Promise<readonly SerialPortFound[]> {
  try {
    const { SerialPort } = await import('serialport');
    const ports = await SerialPort.list();
    return ports.map(({ path, manufacturer, vendorId, productId }) => ({
      path,
      manufacturer: manufacturer ?? null,
      vendorId: vendorId ?? null,
      productId: productId ?? null,
    }));
  } catch {
    return [];
  }
}
